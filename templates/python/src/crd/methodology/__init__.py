"""
Recomputes the regimes of a chain from its gold days, following the text of the methodology. Every threshold comes from
the data of the methodology.
"""
