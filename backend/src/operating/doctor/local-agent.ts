import { join } from 'node:path'
import { readPrivateFile } from '../../platform/system/private-file.ts'
import type { Settings } from '../settings/index.ts'
import { fault, type Finding, ok, reasonOf, warning } from './finding.ts'

/** The agent that `vedette start` runs for this host, by the status that it writes. */
export function examineLocalAgent({ dataDir, localAgent }: Settings): Finding[] {
  if (!localAgent) return []
  try {
    const text = readPrivateFile(join(dataDir, 'agent', 'status.json'))
    if (text === undefined) return []
    const { state, last_error: reason } = JSON.parse(text) as { state: string; last_error: string | null }
    if (state === 'refused')
      return [
        fault(
          'local agent',
          `the backend refuses its token (${reason}); samples are kept`,
          'If its server was deleted, set VEDETTE_LOCAL_AGENT=off; else Vedette registers it again by itself, and its log says why it could not',
        ),
      ]
    if (state === 'waiting' || state === 'cloned')
      return [warning('local agent', `does not push: ${reason}`, 'It tries again by itself; see its status.json if it lasts')]
    return [ok('local agent', state)]
  } catch (error) {
    return [warning('local agent', `its status cannot be read: ${reasonOf(error)}`, 'Run this command as root')]
  }
}
