import { endOf, type OldAddress } from '../address.ts'
import type { SourceFiles } from '../files.ts'
import { partOf, textOf } from '../json.ts'
import { refOf } from '../model.ts'
import { filesOf } from './read.ts'

const OPSGENIE = 'https://api.opsgenie.com'

/** Of integrations and heartbeats. Pure. */
export function addressesOfOpsgenie(files: SourceFiles): OldAddress[] {
  const integrations = filesOf(files, 'integrations').map((file) => {
    const one = partOf(file, 'integration')
    const [key, mail] = [textOf(one['apiKey']), textOf(one['emailAddress'])]
    return {
      name: textOf(one['name']),
      ref: `alert_source:${refOf('opsgenie', 'integrations', textOf(one['id']))}`,
      old: mail === '' ? [`${OPSGENIE}/v2/alerts${key === '' ? '' : ` with GenieKey ${endOf(key)}`}`] : [mail],
    }
  })
  const heartbeats = filesOf(files, 'heartbeats').map((file) => {
    const name = textOf(partOf(file, 'heartbeat')['name'])
    const ref = `monitor:${refOf('opsgenie', 'heartbeats', name)}`
    return { name, ref, old: [`${OPSGENIE}/v2/heartbeats/${encodeURIComponent(name)}/ping`] }
  })
  return [...integrations, ...heartbeats]
}
