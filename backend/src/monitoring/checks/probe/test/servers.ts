import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTool } from '../../../../../../scripts/test-tools.ts'

/** A program that is the other side of a check, in a folder of its own. */
export interface Server {
  folder: string
  output(): string
  stop(): Promise<void>
}

export type Ids = { uid: number; gid: number } | undefined

/** Of a system user, for programs that refuse root; undefined where tests do not run as root. */
export function idsOf(user: string): Ids {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** A folder that belongs to the user, with these files: a temporary one, or one in a server's folder, which is removed with it. */
export function makeServerFolder(files: Readonly<Record<string, string>> = {}, ids?: Ids, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'vedette-server-'))
  // Helpers of the servers run as other users.
  chmodSync(folder, 0o711)
  if (ids) chownSync(folder, ids.uid, ids.gid)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    if (ids) chownSync(join(folder, name), ids.uid, ids.gid)
  }
  return folder
}

interface ServerOptions {
  folder: string
  port: number
  ids?: Ids
  /** Its output contains this text once it is ready. */
  ready?: string
  /** It ends its helpers as a process group. */
  isGroup?: boolean
  /** Its port is one of UDP, of which nobody sees whether it is open. */
  isDatagrams?: boolean
}

/** Starts a program that stays in the foreground, and waits until a connection to its port is accepted. */
export async function startServer(command: readonly string[], options: ServerOptions): Promise<Server> {
  const { folder, port, ids, ready = '', isGroup = false, isDatagrams = false } = options
  const [program = '', ...rest] = command
  const child = spawn(findTool(program) ?? program, rest, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: isGroup,
    ...ids,
  })
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
  const isListening = isDatagrams ? () => true : () => isOpen(port)
  while (!output.includes(ready) || !(await isListening())) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    folder,
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
