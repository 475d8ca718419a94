/** Lets each worker of Jest import TypeScript. */
import { register } from 'tsx/esm/api';

register();
