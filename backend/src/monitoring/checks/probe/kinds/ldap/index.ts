import { type DefinitionOf, parseLdapFilter } from '@vedette/shared'
import { cellOf } from '../conversation/cell.ts'
import { loginRefused, protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse, pathNameOf } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { Talked } from '../conversation/run-talk.ts'
import type { Attempt, CheckKind } from '../kind.ts'
import { STARTTLS } from '../tls/starttls.ts'
import { targetOfUrl } from '../url-target.ts'
import {
  BIND_RESPONSE,
  bindRequest,
  entryIn,
  readMessage,
  RESULTS,
  resultIn,
  SEARCH_DONE,
  SEARCH_ENTRY,
  searchRequest,
  unbindRequest,
} from './messages.ts'

type Definition = DefinitionOf<'ldap'>

/** A bind to a directory, and optionally a search for one entry. */
export const ldap: CheckKind<Definition> = {
  type: 'ldap',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options } = definition
    const isSecure = url.startsWith('ldaps:')
    const tls = isSecure ? 'implicit' : options.starttls ? 'later' : 'off'
    const target = { url, defaultPort: isSecure ? 636 : 389, verify: options.verify_tls, tls } as const
    converse(attempt, tools, target, async (conversation) => {
      // It is message 1.
      if (options.starttls) await STARTTLS.ldap.open(conversation)
      await bind(conversation, definition)
      const talked = options.filter === '' ? '' : await search(conversation, definition, attempt)
      conversation.write(unbindRequest(4))
      return talked
    })
  },
}

async function bind(conversation: Conversation, { credentials: { username = '', password = '' } }: Definition): Promise<void> {
  conversation.write(bindRequest(2, username, password))
  const { tag, fields } = await readMessage(conversation, 2)
  if (tag !== BIND_RESPONSE) throw protocolFault('the server does not speak LDAP')
  const { code, text } = resultIn(fields)
  if (code === RESULTS.success) return
  if (code === RESULTS.invalidCredentials) throw loginRefused(String(code))
  throw protocolFault(`the server refused the login (${text})`)
}

/** Without assertions an entry must be found. */
async function search(conversation: Conversation, definition: Definition, { facts }: Attempt): Promise<Talked> {
  const { url, timeout, options, assertions } = definition
  const filter = parseLdapFilter(options.filter)
  if ('fault' in filter) throw protocolFault(filter.fault)
  const { scope, attribute } = options
  conversation.write(
    searchRequest(3, {
      base: pathNameOf(url),
      scope,
      filter,
      attribute,
      timeLimitSeconds: timeout,
    }),
  )
  let found: ReturnType<typeof entryIn> | undefined
  for (;;) {
    const { tag, fields } = await readMessage(conversation, 3)
    if (tag === SEARCH_ENTRY) found ??= entryIn(fields)
    if (tag !== SEARCH_DONE) continue
    const { code, text } = resultIn(fields)
    if (code === RESULTS.success || code === RESULTS.sizeLimitExceeded || code === RESULTS.noSuchObject) break
    throw protocolFault(`the server refused the search (${text})`)
  }
  if (!found) {
    facts.statusLine = 'no entry'
    const isDown = assertions.length === 0
    const error = { code: 'assertion', message: 'the search found no entry' } as const
    return { body: '', own: isDown ? { outcome: 'down', error } : undefined }
  }
  facts.statusLine = facts.figures['entry'] = readable(found.name, 300)
  const { value } = found
  if (value) facts.figures['attribute'] = cellOf(value, DECIMAL.test(value.toString('latin1', 0, 30)))
  return ''
}

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,9})?$/
