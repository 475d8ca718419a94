#!/usr/bin/env bash
# django-oauth-toolkit 3.4.1 with Django 5.2.19.
# The discovery document lists "none" in prompt_values_supported. A request with prompt=none, in which a provider answers at once
# from its own session or with login_required (OpenID Connect Core 1.0, section 3.1.2.1), ends with an exception instead:
#   prompt=none: NotImplementedError   prompt=login: 302
# It works with a validator (OAUTH2_VALIDATOR_CLASS) that defines validate_silent_login and validate_silent_authorization.
# Exits with 1 if this changes. Needs Python 3.11.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: Django==5.2.19 django-oauth-toolkit==3.4.1
cat > urls.py <<'PYTHON'
from django.urls import include, path

urlpatterns = [path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]
PYTHON
cat > ask.py <<'PYTHON'
import django
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings

key = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
settings.configure(
    SECRET_KEY="of this test",
    ALLOWED_HOSTS=["testserver"],
    ROOT_URLCONF="urls",
    LOGIN_URL="/sign-in",
    USE_TZ=True,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    OAUTH2_PROVIDER={"OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": key.decode(), "SCOPES": {"openid": "id"}},
)
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from oauth2_provider.models import Application

call_command("migrate", verbosity=0)
page = "https://page.example/account"
Application.objects.create(
    client_id="page",
    client_type="public",
    authorization_grant_type="authorization-code",
    algorithm="RS256",
    redirect_uris=page,
    skip_authorization=True,
)
browser = Client()
browser.force_login(User.objects.create_user("ada"))
listed = browser.get("/o/.well-known/openid-configuration").json()["prompt_values_supported"]
assert "none" in listed, listed


def answer(prompt):
    asked = {"client_id": "page", "redirect_uri": page, "response_type": "code", "scope": "openid", "prompt": prompt}
    challenge = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
    try:
        return str(browser.get("/o/authorize/", asked | challenge).status_code)
    except NotImplementedError as fault:
        return type(fault).__name__


seen = {prompt: answer(prompt) for prompt in ("none", "login")}
print("   ".join(f"prompt={prompt}: {each}" for prompt, each in seen.items()))
assert seen == {"none": "NotImplementedError", "login": "302"}, "changed"
PYTHON
venv/bin/python ask.py
