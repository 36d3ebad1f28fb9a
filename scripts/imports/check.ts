import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { cyclesIn } from './cycles.ts'
import { ALLOWED, type Place, placeOf, RULES, type Rule, targetOf } from './rules.ts'
import { type GlobalUse, type ImportUse, type ScannedFile, scanSource } from './scan.ts'

export interface Finding {
  rule: string
  path: string
  line: number
  message: string
}

const ROOTS = ['agent', 'backend', 'bench', 'client', 'contract', 'dashboard', 'installers', 'shared']
const SKIPPED = new Set(['node_modules', 'dist', '.tsc', 'fixtures', 'coverage'])

/** Everything in the packages under `root` that breaks a rule, in the order of files and lines. */
export function checkTree(root: string): Finding[] {
  const files = ROOTS.flatMap((folder) => sourcesIn(join(root, folder))).map((file) =>
    scanSource(relative(root, file).split(sep).join('/'), readFileSync(file, 'utf8')),
  )
  return [...files.flatMap(judge), ...cycleFindings(files)].filter(isNotAllowed)
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

function judge(file: ScannedFile): Finding[] {
  const place = placeOf(file.path)
  const fault = file.fault === undefined ? [] : [{ rule: 'syntax', path: file.path, line: 1, message: file.fault }]
  const findings = RULES.flatMap((rule) => [...judgeImports(rule, place, file.imports), ...judgeUses(rule, place, file.uses)])
  return [...fault, ...findings].sort((a, b) => a.line - b.line)
}

function judgeImports({ id, wayOut, refusesImport }: Rule, place: Place, imports: ImportUse[]): Finding[] {
  return imports
    .filter((use) => refusesImport?.(place, targetOf(place.path, use.specifier), use))
    .map((use) => ({
      rule: id,
      path: place.path,
      line: use.line,
      message: `${use.form} import of ${use.specifier ?? 'a computed name'}: ${wayOut}`,
    }))
}

function judgeUses({ id, wayOut, refusesUse }: Rule, place: Place, uses: GlobalUse[]): Finding[] {
  return uses
    .filter((use) => refusesUse?.(place, use))
    .map((use) => ({ rule: id, path: place.path, line: use.line, message: `use of ${use.name}: ${wayOut}` }))
}

function cycleFindings(files: ScannedFile[]): Finding[] {
  const known = new Set(files.map(({ path }) => path))
  const edges = new Map(
    files.map(({ path, imports }) => {
      const targets = imports.map(({ specifier }) => targetOf(path, specifier))
      return [path, targets.flatMap((target) => (target.kind === 'file' && known.has(target.path) ? [target.path] : []))]
    }),
  )
  return cyclesIn(edges).map((cycle) => ({
    rule: 'no-cycle',
    path: cycle[0] ?? '',
    line: 1,
    message: `${[...cycle, cycle[0]].join(' → ')}: types count too. Move what both need into a file of its own.`,
  }))
}

const isNotAllowed = ({ path, rule }: Finding) => !ALLOWED.some((entry) => entry.path === path && entry.rule === rule)
