import type { NETWORK_OPTIONS } from './options.ts'

type Options = typeof NETWORK_OPTIONS
type Forms = {
  readonly [Name in keyof Options as Options[Name]['form'] extends 'list' | 'number' ? Name : never]: Options[Name]['form']
}

/**
 * Which network options are no texts, choices or boxes: apart from the table, whose texts most pages do not need. The table decides which
 * have to be here.
 */
const FORMS: Forms = { alpn: 'list', dns_servers: 'list', max_body_bytes: 'number' }
export const NETWORK_FORMS: Readonly<Partial<Record<string, 'list' | 'number'>>> = FORMS
