import { ACCESS } from '@vedette/shared'

/** The scopes of an API key that allow a push, as an SQL array: the table of access is the only list of them. */
export const PUSH_SCOPES = `array[${ACCESS['metrics:write'].scopes.map((scope) => `'${scope}'`).join(', ')}]`
