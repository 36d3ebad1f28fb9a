import type { ChangeSet, Drift } from '@vedette/shared'
import { type CommandResult, type Task, UsageError } from './command.ts'
import { CLIENT_OPTIONS, createRequest } from './api-client.ts'
import { CHANGES, DEFAULT_OWNER, describeSteps, exitOf, PLAN_OPTIONS, plannedIn, proposeFiles, warningLine } from './plan.ts'

export const apply: Task = {
  name: 'apply',
  summary: 'apply files of configuration, or a plan that "vedette plan --out" wrote',
  rest: 'path',
  options: { ...PLAN_OPTIONS, yes: { type: 'boolean', help: 'apply it; without this only show it' } },
  async run(call, context): Promise<CommandResult> {
    const send = createRequest(call, context)
    const planned = plannedIn(call.rest ?? [])
    const { set, places } =
      planned === undefined
        ? await proposeFiles(call, context, send)
        : { set: await send<ChangeSet>('GET', `/v1/change-sets/${planned}`), places: undefined }
    const shown = describeSteps(set, places)
    const isNothing = set.steps.length === 0 && set.summary.moved === 0
    if (set.summary.refused > 0 || isNothing) return { json: { ...set }, text: shown, exit: exitOf(set) }
    if (call.options['yes'] !== true)
      return { json: { ...set }, text: `${shown}\nNothing was changed. Say --yes to apply it.`, exit: exitOf(set) }
    const applied = await send<ChangeSet>('POST', `/v1/change-sets/${set.id}/apply`)
    return { json: { ...applied }, text: `${shown}\nApplied as ${applied.id}. Take it back: vedette undo ${applied.id}` }
  },
}

export const undo: Task = {
  name: 'undo',
  summary: 'take a change set back',
  parameters: ['change-set'],
  options: {
    ...CLIENT_OPTIONS,
    yes: { type: 'boolean', help: 'take it back also where something does not come back' },
    force: { type: 'string', value: 'ID,…', help: 'resources that were changed since: overwrite those changes' },
  },
  async run(call, context): Promise<CommandResult> {
    const { force } = call.options
    const body = typeof force === 'string' ? { force: force.split(',') } : {}
    const id = call.parameters['change-set'] as string
    if (!/^chg_[0-9a-z]{26}$/.test(id)) throw new UsageError(`${id} is no id of a change set, as chg_…`)
    const send = createRequest(call, context)
    const former = await send<ChangeSet>('GET', `/v1/change-sets/${id}`)
    if (former.undo_warnings.length > 0 && call.options['yes'] !== true) {
      const lines = [...former.undo_warnings.map(warningLine), 'Nothing was changed. Say --yes to take it back all the same.']
      return { json: { ...former }, text: lines.join('\n'), exit: CHANGES }
    }
    const set = await send<ChangeSet>('POST', `/v1/change-sets/${id}/undo`, body)
    return { json: { ...set }, text: `${describeSteps(set)}\nTaken back as ${set.id}.` }
  },
}

export const drift: Task = {
  name: 'drift',
  summary: 'list what was changed by hand since an owner applied it',
  options: { ...CLIENT_OPTIONS, owner: PLAN_OPTIONS.owner },
  async run(call, context): Promise<CommandResult> {
    const owner = String(call.options['owner'] ?? DEFAULT_OWNER)
    const { resources, warnings } = await createRequest(call, context)<Drift>(
      'GET',
      `/v1/drift?owner=${encodeURIComponent(owner)}`,
    )
    const lines = resources.map(({ kind, ref, changed_by: by, changed_at: at, differences }) => {
      const who = by ? ` by ${by.name ?? by.email ?? by.type}` : ''
      return `~ ${kind}:${ref} — ${differences.map(({ path }) => path.slice(1)).join(', ')} changed${who}${at === null ? '' : ` at ${at}`}`
    })
    if (resources.length === 0) lines.push(`Everything is as ${owner} applied it.`)
    const text = [...warnings.map(warningLine), ...lines].join('\n')
    return { json: { resources, warnings }, text, exit: resources.length === 0 ? 0 : 2 }
  },
}
