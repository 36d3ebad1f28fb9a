import { readFileSync } from 'node:fs'
import type { ChangeSet, ChangeStep, CreateChangeSetBody } from '@vedette/shared'
import { writePrivateFile } from '../../platform/system/private-file.ts'
import { type Call, type CommandContext, type CommandResult, type Option, type Task, UsageError } from './command.ts'
import { type SendRequest, CLIENT_OPTIONS, createRequest, Refused } from './api-client.ts'
import { FileFault, type FileResource, listFiles, placeOf, readFiles } from './configuration-files.ts'

export const DEFAULT_OWNER = 'git'

export const PLAN_OPTIONS = {
  ...CLIENT_OPTIONS,
  owner: { type: 'string', value: 'NAME', help: `where the configuration comes from (default: ${DEFAULT_OWNER})` },
  prune: { type: 'boolean', help: 'delete what the owner manages and the files have no more' },
  'confirm-deletes': { type: 'string', value: 'NUMBER', help: 'so many deletions are meant' },
} as const satisfies Record<string, Option>

const SIGN: Readonly<Record<ChangeStep['action'], string>> = { create: '+', update: '~', adopt: '~', delete: '-' }

export const warningLine = (warning: string): string => `! ${warning}`

/** The steps in lines, and how many there are. */
export function describeSteps(
  { steps, summary, warnings }: ChangeSet,
  places: ReadonlyMap<string, FileResource> = new Map(),
): string {
  const lines = steps.map((step) => {
    if (step.refused === null) return `${SIGN[step.action]} ${step.kind}:${step.ref ?? step.id} — ${step.says}`
    const place = places.get(`${step.kind}:${step.ref}`)
    return `! ${place ? `${placeOf(place, pathOf(step.refused))}: ` : ''}${step.kind}:${step.ref}: ${step.refused}`
  })
  const counts = (['create', 'update', 'delete', 'unchanged', 'refused'] as const).map((name) => `${name} ${summary[name]}`)
  const moved = summary.moved > 0 ? [`Elsewhere in the files, and as they should be: ${summary.moved}`] : []
  return [...lines, ...warnings.map(warningLine), ...moved, counts.join(', ')].join('\n')
}

/** `spec.channel_ids.0: …` as a path. */
function pathOf(fault: string): (string | number)[] {
  const [, path = ''] = /^(spec[\w.]*): /.exec(fault) ?? []
  return path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** Exit codes as those of other planning tools: nothing to do, or changes. */
const NOTHING = 0
export const CHANGES = 2

export const exitOf = ({ steps, summary }: ChangeSet): number => (summary.refused > 0 ? 1 : steps.length > 0 ? CHANGES : NOTHING)

export const placesOf = (resources: readonly FileResource[]): Map<string, FileResource> =>
  new Map(resources.map((one) => [`${one.resource.kind}:${one.resource.ref}`, one]))

/** Proposes what the files of a call have. */
export async function proposeFiles(call: Call, context: CommandContext, send: SendRequest) {
  const files = readFiles(listFiles(call.rest ?? []), context.environment)
  const { owner = DEFAULT_OWNER, prune = false, 'confirm-deletes': confirmed } = call.options
  if (confirmed !== undefined && !/^\d{1,5}$/.test(String(confirmed))) throw new UsageError('--confirm-deletes must be a number')
  const body = {
    owner,
    prune,
    ...(confirmed !== undefined && { confirm_deletes: Number(confirmed) }),
    resources: files.map(({ resource }) => resource),
  } as CreateChangeSetBody
  try {
    return { set: await send<ChangeSet>('POST', '/v1/change-sets', body), places: placesOf(files) }
  } catch (error) {
    if (error instanceof Refused) throw withPlaces(error, files)
    throw error
  }
}

/** `resources.3.ref: …` with the place in its file. */
function withPlaces(error: Refused, files: readonly FileResource[]): Error {
  const lines = error.details.map(({ path, message }) => {
    const [, index, field = ''] = /^resources\.(\d+)\.?(.*)$/.exec(path) ?? []
    const one = index === undefined ? undefined : files[Number(index)]
    return one ? `${placeOf(one, field.split('.'))}: ${field}: ${message}` : `${path}: ${message}`
  })
  return new FileFault(lines.length > 0 ? lines.join('\n') : error.message)
}

export const plan: Task = {
  name: 'plan',
  summary: 'show what files of configuration would change',
  rest: 'path',
  options: {
    ...PLAN_OPTIONS,
    out: { type: 'string', value: 'FILE', help: 'write the plan into this file, for "vedette apply"' },
  },
  async run(call, context): Promise<CommandResult> {
    const { set, places } = await proposeFiles(call, context, createRequest(call, context))
    const { out } = call.options
    if (typeof out === 'string') writePrivateFile(out, `${JSON.stringify(set, null, 2)}\n`)
    return { json: { ...set }, text: describeSteps(set, places), exit: exitOf(set) }
  },
}

/** The id of a plan that was written into a file; undefined for other files. */
export function plannedIn(paths: readonly string[]): string | undefined {
  const [path, ...others] = paths
  if (path === undefined || others.length > 0 || !path.endsWith('.json')) return undefined
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { id: string }).id
  } catch (error) {
    throw new FileFault(`${path}: is no plan: ${(error as Error).message}`, { cause: error })
  }
}
