import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SystemInformation } from './systeminformation.ts'

export type Answers = {
  [Name in 'mem' | 'fsSize' | 'networkInterfaces' | 'networkStats']: Awaited<ReturnType<SystemInformation[Name]>>
}

/** What the library answers on a machine of fixtures/, whose README says where each is from. */
export function answers(name: 'darwin' | 'win32' | 'win32-unread'): Answers {
  return JSON.parse(readFileSync(join(import.meta.dirname, `fixtures/${name}.json`), 'utf8')) as Answers
}
