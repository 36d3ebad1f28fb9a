import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { cyclesIn } from './cycles.ts'
import { folderCycles } from './folders.ts'
import { placeFault } from './places.ts'
import { type SourceFile, describeSource, RULES, type Rule, targetOf } from './rules.ts'
import { type GlobalUse, type ImportUse, type ScannedFile, scanSource } from './scan.ts'
import { tablesOf, writerFaults, writesOf } from './tables.ts'
import { FURTHER_WRITERS } from './writers.ts'

export interface Finding {
  rule: string
  path: string
  line: number
  message: string
}

const ROOTS = ['agent', 'backend', 'bench', 'client', 'contract', 'dashboard', 'installers', 'shared']
const SKIPPED = new Set(['node_modules', 'dist', '.tsc', 'fixtures', 'coverage'])

/** Every violation of a rule in the packages under `root`, ordered by file and line. */
export function checkTree(root: string): Finding[] {
  const files = ROOTS.flatMap((folder) => sourcesIn(join(root, folder))).map((file) =>
    scanSource(relative(root, file).split(sep).join('/'), readFileSync(file, 'utf8')),
  )
  return [...files.flatMap(checkFile), ...cycleFindings(files), ...writerFindings(root, files)]
}

/** Files of the packages that stand where none may. */
export function checkPlaces(root: string): Finding[] {
  return ['agent/src', 'backend/src', 'shared/src']
    .flatMap((folder) => sourcesIn(join(root, folder)))
    .map((file) => relative(root, file).split(sep).join('/'))
    .flatMap((path) => {
      const message = placeFault(path)
      return message === undefined ? [] : [{ rule: 'places', path, line: 1, message }]
    })
}

function sourcesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return sourcesIn(path)
      return /\.[cm]?[jt]sx?$/.test(entry.name) ? [path] : []
    })
}

function checkFile(file: ScannedFile): Finding[] {
  const source = describeSource(file.path)
  const fault = file.fault === undefined ? [] : [{ rule: 'syntax', path: file.path, line: 1, message: file.fault }]
  const findings = RULES.flatMap((rule) => [...checkImports(rule, source, file.imports), ...checkUses(rule, source, file.uses)])
  return [...fault, ...findings].sort((a, b) => a.line - b.line)
}

function checkImports({ id, remedy, rejectsImport }: Rule, source: SourceFile, imports: ImportUse[]): Finding[] {
  return imports
    .filter((use) => rejectsImport?.(source, targetOf(source.path, use.specifier), use))
    .map((use) => ({
      rule: id,
      path: source.path,
      line: use.line,
      message: `${use.form} import of ${use.specifier ?? 'a computed name'}: ${remedy}`,
    }))
}

function checkUses({ id, remedy, rejectsUse }: Rule, source: SourceFile, uses: GlobalUse[]): Finding[] {
  return uses
    .filter((use) => rejectsUse?.(source, use))
    .map((use) => ({ rule: id, path: source.path, line: use.line, message: `use of ${use.name}: ${remedy}` }))
}

function cycleFindings(files: ScannedFile[]): Finding[] {
  const paths = new Set(files.map(({ path }) => path))
  const edges = new Map(
    files.map(({ path, imports }) => {
      const targets = imports.map(({ specifier }) => targetOf(path, specifier))
      return [path, targets.flatMap((target) => (target.kind === 'file' && paths.has(target.path) ? [target.path] : []))]
    }),
  )
  const ofFiles = cyclesIn(edges).map((cycle) => ({
    rule: 'no-cycle',
    path: cycle[0] ?? '',
    line: 1,
    message: `${[...cycle, cycle[0]].join(' → ')}: types count too. Move what both need into a file of its own.`,
  }))
  const sources = new Map([...edges].filter(([path]) => !describeSource(path).isTest))
  const ofFolders = folderCycles(sources).map(({ nodes, imports }) => ({
    rule: 'no-folder-cycle',
    path: nodes[0] ?? '',
    line: 1,
    message: `${[...nodes, nodes[0]].join(' → ')} (${imports.join(', ')}): folders import in one direction. Move the file to the folder that needs it, or what both need into a third one.`,
  }))
  return [...ofFiles, ...ofFolders]
}

function writerFindings(root: string, files: readonly ScannedFile[]): Finding[] {
  const sources = files
    .filter(({ path }) => path.startsWith('backend/src/') && !describeSource(path).isTest)
    .map(({ path }) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const tables = new Set(sources.flatMap(({ path, text }) => tablesOf(path, text)))
  // A tree of a test without a schema.
  if (tables.size === 0) return []
  const writes = sources.flatMap(({ path, text }) => writesOf(path, text, tables))
  return writerFaults(writes, FURTHER_WRITERS).map(({ path, message }) => ({ rule: 'one-writer', path, line: 1, message }))
}
