export { type ClientOptions, createClient, type Credentials } from './client.ts'
export { VedetteAnswerError, VedetteError, VedetteNetworkError } from './errors.ts'
export type { CallOptions, Client, CreatingOptions, RateLimit } from './types.ts'
export type { Wire } from './wire.ts'
