import type { DefinitionOf } from '@vedette/shared'
import { protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse, pathNameOf } from '../conversation/conversation.ts'
import type { Attempt, CheckKind, ProbeTools } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { command, greet, logIn, readReply, refused, request, startTls } from './commands.ts'
import { openData } from './data.ts'

type FtpCheck = DefinitionOf<'ftp'>

/** A session with a file server (RFC 959, 2428, 4217): a login, a folder and its list, as far as they are wanted. */
export const ftp: CheckKind<FtpCheck> = {
  type: 'ftp',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options, credentials } = definition
    const defaultPort = options.tls === 'implicit' ? 990 : 21
    const tls = options.tls === 'starttls' ? 'later' : options.tls
    let closeData = () => {}
    // The data connection ends with the check too.
    const hold = (release: () => void) =>
      attempt.hold(() => {
        closeData()
        release()
      })
    const list = { definition, attempt, tools, holdData: (close: () => void) => void (closeData = close) }
    converse({ ...attempt, hold }, tools, { url, defaultPort, tls, verify: options.verify_tls }, async (conversation) => {
      const greeting = await greet(conversation, attempt.facts)
      if (options.tls === 'starttls') await startTls(conversation)
      await logIn(conversation, credentials)
      const folder = pathNameOf(url)
      if (folder !== '') await command(conversation, `CWD ${folder}`, 250)
      const body = options.list ? await listFolder(conversation, list) : greeting
      conversation.write('QUIT\r\n')
      return body
    })
  },
}

interface List {
  definition: FtpCheck
  attempt: Attempt
  tools: ProbeTools
  holdData(close: () => void): void
}

/** The list of the folder, as the server sends it. */
async function listFolder(conversation: Conversation, { definition, attempt, tools, holdData }: List): Promise<Buffer> {
  const isTls = conversation.tlsSocket !== undefined
  if (isTls) {
    await command(conversation, 'PBSZ 0', 200)
    await command(conversation, 'PROT P', 200)
  }
  // The host of the control connection, whatever address the server names.
  const target = { host: conversation.targetAddress, port: await passivePort(conversation), isTls }
  const data = await openData(attempt, tools, target, holdData)
  const begun = await request(conversation, 'LIST')
  if (begun.code !== 150 && begun.code !== 125) throw refused('LIST', begun)
  if (isTls) {
    const host = targetOfUrl(definition.url, 0)?.host ?? ''
    await data.secure({ host, verify: definition.options.verify_tls, session: conversation.tlsSocket?.getSession() })
  }
  const listed = await data.readAll()
  data.close()
  const done = await readReply(conversation)
  if (done.code !== 226 && done.code !== 250) throw refused('LIST', done)
  const lines = listed.toString().split(/\r?\n/)
  attempt.facts.figures['entries'] = lines.filter((line) => line !== '' && !/^total \d+$/.test(line)).length
  return listed
}

/** By EPSV, and by PASV at servers that do not have it. */
async function passivePort(conversation: Conversation): Promise<number> {
  const extended = await request(conversation, 'EPSV')
  if (extended.code === 229) return portOf(Number(/\(([!-~])\1\1(\d{1,5})\1\)/.exec(extended.lines.join(' '))?.[2]))
  const passive = await request(conversation, 'PASV')
  if (passive.code !== 227) throw refused('PASV', passive)
  const [, high, low] = /\d+,\d+,\d+,\d+,(\d{1,3}),(\d{1,3})/.exec(passive.lines.join(' ')) ?? []
  return portOf(Number(high) * 256 + Number(low))
}

function portOf(port: number): number {
  if (port >= 1 && port <= 65_535) return port
  throw protocolFault('the server named no port for the data connection')
}
