import { toTimestamp } from '@vedette/shared'
import { pause } from '../../platform/time/clock.ts'
import { fetchInto, type Fetched, SourceFault, type Tool, TOOLS } from '../moving/index.ts'
import { readKey } from './api-client.ts'
import { type Call, type CommandContext, type CommandResult, type Option, UsageError } from './command.ts'
import { FileFault } from './configuration-files.ts'

const CREDENTIALS = Object.values(TOOLS).map(({ api }) => api.credentials.join(' and '))

export const FETCH_OPTIONS = {
  fetch: {
    type: 'boolean',
    help: 'save the configuration from the API of the source into the folder, which is new or empty; plan it afterwards',
  },
  'token-file': {
    type: 'string',
    value: 'FILE',
    help: `with --fetch: file with the token of the source (default: ${CREDENTIALS.join(', ')})`,
  },
} as const satisfies Record<string, Option>

/** Of a path on the terminal. */
const SHOWN = 70

/**
 * Saves the configuration of an account into the folder of the call. Refuses the options that are of a plan: a fetch changes nothing
 * here, and needs no installation.
 */
export async function fetchSource(
  call: Call,
  context: CommandContext,
  name: string,
  tool: Tool,
  ofPlans: readonly string[],
): Promise<CommandResult> {
  const { options, parameters } = call
  const other = ofPlans.find((one) => options[one] !== undefined)
  if (other !== undefined) throw new UsageError(`--${other} is of the plan: fetch first, then run again without --fetch`)
  const isWithHistory = options['history'] === true
  if (isWithHistory && !tool.fetchHistory)
    throw new UsageError(`--history: no past alerts come of ${name}: they name no sender that comes`)
  const base = baseOf(options['url'], name, tool)
  const credentials = credentialsOf(options['token-file'], context.environment, tool)
  const folder = parameters['folder'] as string
  try {
    const platform = {
      now: () => context.clock.now(),
      pause,
      onRequest: (path: string) => context.show?.(`GET ${path.slice(0, SHOWN)}`),
    }
    return resultOf(name, folder, await fetchInto(folder, { name, tool, base, credentials, isWithHistory }, platform))
  } catch (error) {
    throw error instanceof SourceFault ? new FileFault(error.message, { cause: error }) : error
  } finally {
    context.show?.('')
  }
}

function baseOf(given: string | boolean | undefined, name: string, { api }: Tool): URL {
  const text = typeof given === 'string' ? given : api.url
  if (text === undefined) throw new UsageError(`--url must say where the API of ${name} is`)
  const base = URL.parse(text)
  if (!base || !/^https?:$/.test(base.protocol)) throw new UsageError('--url is no http:// or https:// address')
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '')
    throw new UsageError('--url must have no user, password, ? or #: every process of the host can read arguments')
  return base
}

/** As headers may have it: an error of the platform would quote another one. */
const TOKEN = /^[\x21-\x7E]{1,4096}$/

/** From a file, or from the environment; never an argument, which every process of the host can read. */
function credentialsOf(
  file: string | boolean | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  { api: { credentials: names } }: Tool,
): string[] {
  const given = typeof file === 'string' ? readKey(file).split(/\s+/) : names.map((one) => (environment[one] ?? '').trim())
  const where = typeof file === 'string' ? file : `the environment (${names.join(', ')})`
  if (typeof file !== 'string' && given.includes(''))
    throw new UsageError(`--token-file or ${names.join(' and ')} must give the token of the source`)
  if (given.length !== names.length || !given.every((one) => TOKEN.test(one)))
    throw new UsageError(`${where} must have ${names.length === 1 ? 'one token' : `${names.length} words: ${names.join(' ')}`}`)
  return given
}

function resultOf(name: string, folder: string, { files, requests, bytes, missed, alerts, range }: Fetched): CommandResult {
  const [from, to] = [toTimestamp(range.fromMs), toTimestamp(range.toMs)]
  const lines = [
    ...missed.map(({ what, why }) => `! ${what}: is not saved: ${why}`),
    `Saved ${files} files (${requests} requests), with who is on duty from ${from} to ${to}${alerts === undefined ? '' : `, and ${alerts} past alerts`}`,
    `Plan it: vedette migrate-from ${name} ${folder}${alerts === undefined ? '' : ' --history'} --plan`,
  ]
  return {
    json: { folder, files, requests, bytes, from, to, past_alerts: alerts ?? null, not_saved: missed },
    text: lines.join('\n'),
  }
}
