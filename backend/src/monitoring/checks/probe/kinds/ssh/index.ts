import type { DefinitionOf } from '@vedette/shared'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { fingerprintOf, HOST_KEY_ALGORITHMS, keyTypeOf, verifyHostKey } from './host-key.ts'
import { exchange, METHOD_NAMES, methodOf } from './key-exchange.ts'
import { encode, GOODBYE, KEXINIT, NO_SSH, nextPayload, readString, string } from './packets.ts'

type SshCheck = DefinitionOf<'ssh'>

const OWN_VERSION = 'SSH-2.0-Vedette'

/** The version of a server and the key exchange up to its host key (RFC 4253). Nobody logs in. */
export const ssh: CheckKind<SshCheck> = {
  type: 'ssh',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, options }, attempt, tools) {
    converse(attempt, tools, { url, defaultPort: 22, verify: false, tls: 'off' }, async (conversation) => {
      const version = await greet(conversation, attempt.facts)
      const { hostKey } = await exchangeKeys(conversation, version, HOST_KEY_ALGORITHMS[options.host_key])
      Object.assign(attempt.facts.figures, {
        fingerprint: fingerprintOf(hostKey),
        host_key_type: readable(keyTypeOf(hostKey), 100),
      })
      conversation.write(GOODBYE)
      return version
    })
  },
}

/** Lines that a server may send before its version. */
const MAX_LINES = 50

async function greet(conversation: Conversation, facts: ProbeFacts): Promise<string> {
  for (let line = 0; line < MAX_LINES; line += 1) {
    const version = await conversation.readLine()
    if (!version.startsWith('SSH-')) continue
    facts.statusLine = readable(version)
    const [, software] = /^SSH-(?:2\.0|1\.99)-(.*)$/s.exec(version) ?? []
    if (software === undefined) throw protocolFault(`the server speaks another version of SSH: ${readable(version)}`)
    facts.figures['software'] = readable(software, 255)
    return version
  }
  throw protocolFault(NO_SSH)
}

/** Nothing is sent after the exchange, so that these are offered for the form alone; each server has some of them. */
const CIPHERS = 'aes128-ctr,aes256-ctr,aes128-gcm@openssh.com,chacha20-poly1305@openssh.com'
const MACS = 'hmac-sha2-256,hmac-sha2-512,hmac-sha2-256-etm@openssh.com'

/** Section 7.1: of keys, host keys, ciphers, MACs, compressions and languages, the last four in both directions. */
function initOf(hostKeys: readonly string[]): Buffer {
  const lists = [METHOD_NAMES.join(), hostKeys.join(), CIPHERS, CIPHERS, MACS, MACS, 'none', 'none', '', '']
  return Buffer.concat([Buffer.from([KEXINIT]), randomBytes(16), ...lists.map(string), Buffer.alloc(5)])
}

const ECDH_INIT = 30
const ECDH_REPLY = 31

async function exchangeKeys(conversation: Conversation, serverVersion: string, hostKeys: readonly string[]) {
  const clientInit = initOf(hostKeys)
  conversation.write(Buffer.concat([Buffer.from(`${OWN_VERSION}\r\n`), encode(clientInit)]))
  const serverInit = await nextPayload(conversation)
  if (serverInit[0] !== KEXINIT) throw protocolFault(NO_SSH)
  const { methodName, hostKeyName, isWrongGuess } = agree(new ByteReader(serverInit.subarray(17)), hostKeys)
  const method = methodOf(methodName)
  conversation.write(encode(Buffer.concat([Buffer.from([ECDH_INIT]), method.encode(method.own().public)])))
  if (isWrongGuess) await nextPayload(conversation)
  const reply = await nextPayload(conversation)
  if (reply[0] !== ECDH_REPLY) throw protocolFault('the server did not answer the key exchange')
  const prelude = { clientVersion: OWN_VERSION, serverVersion, clientInit, serverInit }
  const exchanged = exchange(method, prelude, new ByteReader(reply.subarray(1)))
  verifyHostKey(exchanged, hostKeyName)
  return exchanged
}

/** The first of our names that the server has too. A packet that it sent on another guess is to be skipped. */
function agree(fields: ByteReader, hostKeys: readonly string[]) {
  const lists = Array.from({ length: 10 }, () => readString(fields).toString('latin1').split(','))
  const [methods = [], keys = []] = lists
  const methodName = METHOD_NAMES.find((name) => methods.includes(name))
  const hostKeyName = hostKeys.find((name) => keys.includes(name))
  if (methodName === undefined)
    throw protocolFault(`the server has no key exchange that the probe has: ${readable(methods.join(', '))}`)
  if (hostKeyName === undefined) throw protocolFault(`the server has no such host key, but ${readable(keys.join(', '))}`)
  const isGuess = fields.uint8() !== 0
  return { methodName, hostKeyName, isWrongGuess: isGuess && (methods[0] !== METHOD_NAMES[0] || keys[0] !== hostKeys[0]) }
}
