import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Configuration, ConfigurationComparison, ConfigurationResource } from '@vedette/shared'
import { stringify } from 'yaml'
import { makePrivateFolder, writePrivateFile } from '../../platform/system/private-file.ts'
import type { CommandResult, Task } from './command.ts'
import { CLIENT_OPTIONS, createRequest } from './api-client.ts'
import { type FileResource, listFiles, placeOf, readFiles } from './configuration-files.ts'
import { DEFAULT_OWNER, PLAN_OPTIONS, placesOf, warningLine } from './plan.ts'

/** The value at a JSON pointer. */
const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value)

const partsOf = (pointer: string): string[] =>
  pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Writes into each document what differs; its comments, its order and what it leaves out stay. */
function update(
  files: ReadonlyMap<string, FileResource>,
  { steps }: ConfigurationComparison,
  stored: ReadonlyMap<string, ConfigurationResource>,
): string[] {
  return steps.flatMap((step) => {
    const key = `${step.kind}:${step.ref}`
    const [one, resource] = [files.get(key), stored.get(key)]
    if (!one || !resource || step.action === 'create' || step.differences.length === 0) return []
    for (const { path } of step.differences) {
      const parts = partsOf(path)
      const value = valueAt(resource.spec, parts)
      if (value === undefined) one.document.deleteIn(['spec', ...parts])
      // A value in place of a node keeps the comment behind it.
      else
        one.document.setIn(
          ['spec', ...parts],
          typeof value === 'object' && value !== null ? one.document.createNode(value) : value,
        )
    }
    return [one.file]
  })
}

export const pull: Task = {
  name: 'pull',
  summary: 'write what there is as files of configuration; comments of files that are there stay',
  parameters: ['folder'],
  options: { ...CLIENT_OPTIONS, owner: { ...PLAN_OPTIONS.owner, help: 'only what this owner manages (default: everything)' } },
  async run(call, context): Promise<CommandResult> {
    const send = createRequest(call, context)
    const folder = call.parameters['folder'] as string
    const { owner } = call.options
    if (!existsSync(folder)) makePrivateFolder(folder)
    const query = typeof owner === 'string' ? `?owner=${encodeURIComponent(owner)}` : ''
    const { resources, warnings } = await send<Configuration>('GET', `/v1/configuration${query}`)
    const stored = new Map(resources.map((resource) => [`${resource.kind}:${resource.ref}`, resource]))
    const files = readFiles(listFiles([folder]), context.environment)
    const known = placesOf(files)
    const changed = new Set<string>()
    if (files.length > 0) {
      const body = { owner: owner ?? DEFAULT_OWNER, resources: files.map(({ resource }) => resource) }
      const compared = await send<ConfigurationComparison>('POST', '/v1/configuration/compare', body)
      for (const file of update(known, compared, stored)) changed.add(file)
      for (const file of changed) {
        const documents = files.filter((one) => one.file === file).map(({ document }) => document.toString({ lineWidth: 0 }))
        writePrivateFile(
          file,
          documents.map((text, index) => (index > 0 && !text.startsWith('---') ? `---\n${text}` : text)).join(''),
        )
      }
    }
    const added = resources.filter(({ kind, ref }) => !known.has(`${kind}:${ref}`))
    for (const [kind, some] of Map.groupBy(added, (resource) => resource.kind)) {
      const file = join(folder, `${kind}.yaml`)
      const before = existsSync(file) ? `${readFileSync(file, 'utf8').replace(/\n*$/, '\n')}---\n` : ''
      const texts = some.map(({ source: _source, ...resource }) => stringify(resource, { lineWidth: 0 }))
      writePrivateFile(file, before + texts.join('---\n'))
      changed.add(file)
    }
    const gone = files.filter(({ resource }) => !stored.has(`${resource.kind}:${resource.ref}`))
    const lines = [
      ...warnings.map(warningLine),
      ...[...changed].toSorted().map((file) => `wrote ${file}`),
      ...gone.map((one) => `${placeOf(one)}: ${one.resource.kind}:${one.resource.ref} is not there any more`),
      `${resources.length} resources, ${added.length} of them new in the files`,
    ]
    return { json: { files: [...changed].toSorted(), resources: resources.length, added: added.length }, text: lines.join('\n') }
  },
}
