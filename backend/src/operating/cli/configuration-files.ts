import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ConfigurationResource } from '@vedette/shared'
import { type Document, isMap, isNode, LineCounter, parseAllDocuments } from 'yaml'

/** A document of a file, and the resource in it. */
export interface FileResource {
  resource: ConfigurationResource
  file: string
  document: Document.Parsed
  lines: LineCounter
}

/** A fault with its place: `monitors/shop.yaml:12:3: …`. */
export class FileFault extends Error {}

const MAX_FILES = 10_000
const MAX_INCLUDES = 10
const IS_YAML = /\.ya?ml$/

/** All YAML files of these files and folders, in the order of their names. Throws FileFault. */
export function listFiles(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) throw new FileFault(`${path}: does not exist`)
    if (!found.isDirectory()) return [path]
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => IS_YAML.test(name))
      .toSorted()
      .map((name) => join(path, name))
  })
  if (files.length > MAX_FILES) throw new FileFault(`${paths.join(' ')}: has ${files.length} files, and may have ${MAX_FILES}`)
  return files
}

/** The place of a field of a document; without the field that of the document. */
export function placeOf(
  { file, document, lines }: Omit<FileResource, 'resource'>,
  path: readonly (string | number)[] = [],
): string {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) {
      const { line, col } = lines.linePos(node.range[0])
      return `${file}:${line}:${col}`
    }
  }
  return `${file}:1:1`
}

/** The resources of files, each with its place. Throws FileFault with all faults of a file. */
export function readFiles(files: readonly string[], environment: Readonly<Record<string, string | undefined>>): FileResource[] {
  const read = new Map<string, FileResource[]>()
  const visit = (file: string, depth: number): void => {
    const key = resolve(file)
    if (read.has(key)) return
    read.set(key, [])
    if (depth > MAX_INCLUDES) throw new FileFault(`${file}:1:1: more than ${MAX_INCLUDES} files include each other`)
    const { resources, includes } = readOne(file, environment)
    read.set(key, resources)
    for (const included of includes) for (const other of listFiles([join(dirname(file), included)])) visit(other, depth + 1)
  }
  for (const file of files) visit(file, 0)
  const all = [...read.values()].flat()
  refuseRepeated(all)
  return all
}

function refuseRepeated(all: readonly FileResource[]): void {
  const seen = new Map<string, FileResource>()
  for (const one of all) {
    const key = `${one.resource.kind}:${one.resource.ref}`
    const other = seen.get(key)
    if (other) throw new FileFault(`${placeOf(one)}: ${key} is there already, at ${placeOf(other)}`)
    seen.set(key, one)
  }
}

function readOne(file: string, environment: Readonly<Record<string, string | undefined>>) {
  const lines = new LineCounter()
  const documents = parseAllDocuments(readFileSync(file, 'utf8'), { lineCounter: lines, uniqueKeys: true })
  const resources: FileResource[] = []
  const includes: string[] = []
  for (const document of Array.isArray(documents) ? documents : []) {
    const at = { file, document, lines }
    const [error] = document.errors
    if (error) {
      const { line, col } = lines.linePos(error.pos[0])
      throw new FileFault(`${file}:${line}:${col}: ${error.message.split('\n')[0]}`)
    }
    if (document.contents === null) continue
    if (!isMap(document.contents)) throw new FileFault(`${placeOf(at)}: must be a resource with kind, ref and spec`)
    const value = valueOf(at)
    const { include, ...resource } = value
    includes.push(...[include ?? []].flat().map(String))
    if (Object.keys(resource).length > 0) resources.push({ ...at, resource: asResource(at, resource, environment) })
  }
  return { resources, includes }
}

/** Aliases that grow beyond all bounds end here. */
function valueOf(at: Omit<FileResource, 'resource'>): Record<string, unknown> {
  try {
    return at.document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>
  } catch (error) {
    throw new FileFault(`${placeOf(at)}: ${(error as Error).message}`, { cause: error })
  }
}

const FIELDS = new Set(['kind', 'ref', 'spec', 'source'])

function asResource(
  at: Omit<FileResource, 'resource'>,
  value: Record<string, unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigurationResource {
  for (const name of Object.keys(value))
    if (!FIELDS.has(name)) throw new FileFault(`${placeOf(at, [name])}: ${name} is no field of a resource: kind, ref, spec`)
  for (const name of ['kind', 'ref'])
    if (typeof value[name] !== 'string') throw new FileFault(`${placeOf(at, [name])}: ${name} is missing, or no text`)
  const [, line] = /:(\d+):\d+$/.exec(placeOf(at)) ?? []
  const spec = filled(value['spec'] ?? {}, at, ['spec'], environment) as ConfigurationResource['spec']
  return {
    kind: value['kind'] as ConfigurationResource['kind'],
    ref: value['ref'] as string,
    spec,
    source: { file: at.file, line: Number(line) },
  }
}

const PLACEHOLDER = /\$\{(env|file):([^}]+)\}/g

/** The value with `${env:NAME}`, `${file:path}` and `{ from: "env:NAME" }` replaced. */
function filled(
  value: unknown,
  at: Omit<FileResource, 'resource'>,
  path: readonly (string | number)[],
  environment: Readonly<Record<string, string | undefined>>,
): unknown {
  const lookUp = (kind: string, name: string): string => {
    if (kind === 'env') {
      const found = environment[name]
      if (found === undefined) throw new FileFault(`${placeOf(at, path)}: the variable ${name} is not set`)
      return found
    }
    try {
      return readFileSync(join(dirname(at.file), name), 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      throw new FileFault(`${placeOf(at, path)}: ${name} cannot be read`, { cause: error })
    }
  }
  if (typeof value === 'string') return value.replaceAll(PLACEHOLDER, (_, kind: string, name: string) => lookUp(kind, name))
  if (Array.isArray(value)) return value.map((part: unknown, index) => filled(part, at, [...path, index], environment))
  if (typeof value !== 'object' || value === null) return value
  const { from, ...others } = value as { from?: unknown }
  if (typeof from === 'string' && from.startsWith('env:') && Object.keys(others).length === 0)
    // A variable that is not set keeps the stored secret.
    return environment[from.slice(4)] ?? value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part, at, [...path, name], environment)]))
}
