import type { AlertSource, MonitorDetails, MonitorItem } from '@vedette/shared'
import { type AddressRow, nameOf, type readSource, type Tool } from '../moving/index.ts'
import { readAll, type SendRequest } from './api-client.ts'

type Files = ReturnType<typeof readSource>

const NOT_APPLIED = 'is not here: apply the plan first'
const IN_USE = 'receives alerts already: rotate its token to see it'

const NOT_ISSUED = 'its token is shown where it is issued: run again with --issue-tokens'

/** What was issued before, by reference, and whether others are issued a token. */
export interface Issuing {
  issued: ReadonlyMap<string, string>
  issues: boolean
}

/**
 * The addresses that senders use at the source, and those that they get here. The token of an alert source is shown only where it is
 * issued: `issues` replaces that of a source which has received nothing yet and whose address nobody has.
 */
export async function readAddresses(
  send: SendRequest,
  tool: Tool,
  files: Files,
  owner: string,
  issuing: Issuing,
): Promise<AddressRow[]> {
  const old = tool.addresses(files)
  const sources = await readAll<AlertSource>(send, '/v1/alert-sources', 'alert_sources')
  const hasHeartbeats = old.some(({ ref }) => isMonitor(ref))
  const monitors = hasHeartbeats ? await readAll<MonitorItem>(send, '/v1/monitors', 'monitors') : []
  const rows: AddressRow[] = []
  for (const one of old) {
    const isOne = ({ managed }: Pick<AlertSource, 'managed'>) =>
      managed?.owner === owner && managed.ref === one.ref.slice(one.ref.indexOf(':') + 1)
    const found = isMonitor(one.ref)
      ? await pingOf(
          send,
          monitors.filter(({ name }) => name === nameOf(one.name)),
          isOne,
        )
      : await addressOf(send, sources.find(isOne), issuing.issued.get(one.ref), issuing.issues)
    rows.push({ ...one, ...found })
  }
  return rows
}

const isMonitor = (ref: string): boolean => ref.startsWith('monitor:')

type NewAddress = Pick<AddressRow, 'new' | 'why'>

async function addressOf(
  send: SendRequest,
  source: AlertSource | undefined,
  issued: string | undefined,
  issues: boolean,
): Promise<NewAddress> {
  if (!source) return { new: null, why: NOT_APPLIED }
  if (issued !== undefined) return { new: issued, why: '' }
  if (source.last_received_at !== null) return { new: null, why: IN_USE }
  if (!issues) return { new: null, why: NOT_ISSUED }
  const { address } = await send<AlertSource>('POST', `/v1/alert-sources/${source.id}/rotate-token`)
  return { new: address, why: '' }
}

/** Lists do not say who manages a monitor. */
async function pingOf(
  send: SendRequest,
  named: readonly MonitorItem[],
  isOne: (monitor: MonitorDetails) => boolean,
): Promise<NewAddress> {
  for (const { id } of named) {
    const details = await send<MonitorDetails>('GET', `/v1/monitors/${id}`)
    if (isOne(details) && details.ping_url) return { new: details.ping_url, why: '' }
  }
  return { new: null, why: NOT_APPLIED }
}
