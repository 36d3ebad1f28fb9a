import type { ChangeSet, Channel, CreateChangeSetBody, Member } from '@vedette/shared'
import { readPrivateFile, writePrivateFile } from '../../platform/system/private-file.ts'
import {
  addressTable,
  issuedIn,
  notHere,
  peopleOf,
  type PhoneChannel,
  readSource,
  type ReportRow,
  SourceFault,
  type Tool,
  TOOLS,
  withPhones,
} from '../moving/index.ts'
import { readAddresses } from './address-table.ts'
import { CLIENT_OPTIONS, createRequest, readAll, Refused, type SendRequest } from './api-client.ts'
import { type Call, type CommandResult, oneOf, type Option, type Task, UsageError } from './command.ts'
import { FileFault } from './configuration-files.ts'
import { FETCH_OPTIONS, fetchSource } from './fetch-source.ts'
import { moveHistory } from './past-alerts.ts'
import { describeSteps, exitOf, PLAN_OPTIONS } from './plan.ts'

/** The members of the key's organization. */
async function readMembers(send: SendRequest): Promise<{ organization: string; members: Member[] }> {
  try {
    const { organizations } = await send<{ organizations: { id: string }[] }>('GET', '/v1/organizations')
    const organization = organizations[0]?.id ?? ''
    return { organization, members: await readAll<Member>(send, `/v1/organizations/${organization}/members`, 'members') }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new FileFault(`The members cannot be read: ${error.message} The key needs the scope admin.`, { cause: error })
  }
}

/** The channels of Twilio, by which telephones are notified here. */
async function readPhones(send: SendRequest): Promise<PhoneChannel[]> {
  const channels = await readAll<Channel>(send, '/v1/channels', 'channels')
  return channels.flatMap(({ id, name, type, enabled, config }) =>
    enabled && (type === 'twilio_sms' || type === 'twilio_voice') && typeof config.recipient === 'string'
      ? [{ id, name, type, recipient: config.recipient }]
      : [],
  )
}

const SIGN: Readonly<Record<ReportRow['fidelity'], string>> = { exact: '=', changed: '~', partly: '~', refused: '!' }

const rowLine = ({ source, fidelity, changes, reason }: ReportRow): string => {
  const why = [...(reason === null ? [] : [reason]), ...changes].join('; ')
  return `${SIGN[fidelity]} ${source.kind} ${source.name || source.id}: ${fidelity}${why === '' ? '' : ` — ${why}`}`
}

/** The tool that a call names, and its name. Throws UsageError. */
export function toolOf({ parameters }: Call): { name: string; tool: Tool } {
  const name = oneOf('source', parameters['source'] as string, Object.keys(TOOLS))
  return { name, tool: TOOLS[name] as Tool }
}

/** What is saved of a tool; what is wrong with it is the caller's fault. */
export function readFolder(tool: Tool, folder: string): ReturnType<typeof readSource> {
  try {
    return readSource(tool, folder)
  } catch (error) {
    if (error instanceof SourceFault) throw new FileFault(error.message, { cause: error })
    throw error
  }
}

/** Of a plan. */
const OWN_OPTIONS = {
  plan: { type: 'boolean', help: 'propose the change set and change nothing (the default)' },
  owner: { ...PLAN_OPTIONS.owner, help: 'who manages what is created (default: import:<source>)' },
  out: { type: 'string', value: 'FILE', help: 'write the plan into this file, for "vedette apply"' },
  addresses: {
    type: 'string',
    value: 'FILE',
    help: 'write the old and the new address of each sender into this file, which keeps the addresses that it has',
  },
  'issue-tokens': {
    type: 'boolean',
    help: 'with --addresses: replace the tokens of sources that received nothing yet and whose address the file does not have',
  },
  history: {
    type: 'boolean',
    help: 'add the alerts of the last 400 days as resolved incidents, once the plan is applied; with --plan: only count them; with --fetch: save them',
  },
  invite: { type: 'boolean', help: 'invite the people who are no members yet, as members' },
} as const satisfies Record<string, Option>
const OF_PLANS = ['key-file', ...Object.keys(OWN_OPTIONS).filter((option) => option !== 'history')]

export const migrateFrom: Task = {
  name: 'migrate-from',
  summary: `plan what the saved configuration of another tool becomes, or save it (${Object.keys(TOOLS).join(', ')})`,
  parameters: ['source', 'folder'],
  options: {
    ...CLIENT_OPTIONS,
    url: { ...CLIENT_OPTIONS.url, help: `${CLIENT_OPTIONS.url.help}; with --fetch: of the API of the source` },
    ...FETCH_OPTIONS,
    ...OWN_OPTIONS,
  },
  async run(call, context): Promise<CommandResult> {
    const { name, tool } = toolOf(call)
    if (call.options['fetch'] === true) return fetchSource(call, context, name, tool, OF_PLANS)
    if (call.options['token-file'] !== undefined) throw new UsageError('--token-file is for --fetch')
    refuseIssuing(call.options)
    const files = readFolder(tool, call.parameters['folder'] as string)
    const send = createRequest(call, context)
    const { organization, members } = await readMembers(send)
    const people = peopleOf(members, await readPhones(send))
    const { resources, report } = withPhones(tool.read(files, people, context.clock.now()))
    const owner = String(call.options['owner'] ?? `import:${name}`)
    const body: CreateChangeSetBody = { owner, resources }
    const set = await send<ChangeSet>('POST', '/v1/change-sets', body)
    const { out } = call.options
    if (typeof out === 'string') writePrivateFile(out, `${JSON.stringify(set, null, 2)}\n`)
    await writeAddresses(call, send, tool, files, owner)
    if (call.options['invite'] === true) await invite(send, organization, report)
    if (call.options['history'] === true) {
      const moving = { tool, files, owner, nowMs: context.clock.now(), isTrial: call.options['plan'] === true }
      // The last row says what to switch off.
      report.splice(-1, 0, ...(await moveHistory(send, moving)))
    }
    const last = typeof out === 'string' ? [`Apply it: vedette apply ${out} --yes`] : []
    const text = [describeSteps(set), '', ...report.map(rowLine), ...last].join('\n')
    return { json: { change_set_id: set.id, report }, text, exit: exitOf(set) }
  },
}

function refuseIssuing({ plan, addresses, 'issue-tokens': issues }: Call['options']): void {
  if (issues !== true) return
  if (plan === true) throw new UsageError('--issue-tokens replaces tokens, and --plan changes nothing: choose one of them')
  if (typeof addresses !== 'string') throw new UsageError('--issue-tokens needs --addresses FILE: a token is shown once')
}

async function writeAddresses(
  { options }: Call,
  send: SendRequest,
  tool: Tool,
  files: ReturnType<typeof readSource>,
  owner: string,
): Promise<void> {
  const { addresses, 'issue-tokens': issues } = options
  if (typeof addresses !== 'string') return
  const issuing = { issued: issuedIn(readPrivateFile(addresses) ?? ''), issues: issues === true }
  writePrivateFile(addresses, `${addressTable(await readAddresses(send, tool, files, owner, issuing))}\n`)
}

const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text)

/** Invites who is nobody here; accounts that were deactivated at the source have another reason. */
async function invite(send: SendRequest, organization: string, report: readonly ReportRow[]): Promise<void> {
  const missing = report.filter(({ source, reason }) => isEmail(source.name) && reason === notHere(source.name))
  for (const { source } of missing)
    await send('POST', `/v1/organizations/${organization}/members/invite`, { email: source.name, role: 'member' })
}
