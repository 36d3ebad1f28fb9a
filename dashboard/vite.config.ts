import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, brotliCompressSync, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

/** Smaller files are not worth a compressed copy. */
const SMALLEST_BYTES = 1_024

/** Adds a compressed copy of each file, so that the backend does not compress the same bytes for each visitor. */
function precompress(): Plugin {
  let folder = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir)
    },
    closeBundle: () => {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      for (const path of names
        .filter((name) => /\.(?:js|css|html|svg|webmanifest)$/.test(name))
        .map((name) => join(folder, name))) {
        const content = readFileSync(path)
        if (content.length < SMALLEST_BYTES) continue
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
      }
    },
  }
}

interface Node {
  type?: string
  start: number
  end: number
  key?: { name?: string }
  value?: { type: string }
  specifiers?: { local?: { name: string } }[]
}

/** A property with text or examples; a field of a schema may be called like one of them. */
const isWord = ({ type, key, value }: Node): boolean =>
  type === 'Property' &&
  /^(?:description|examples)$/.test(key?.name ?? '') &&
  /^(?:Literal|TemplateLiteral|BinaryExpression|ArrayExpression)$/.test(value?.type ?? '')

/** A program without the outermost nodes that match: items of lists, or statements. */
function without(code: string, program: unknown, isLeftOut: (node: Node) => boolean): string {
  const found: Node[] = []
  const search = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (isLeftOut(node as Node)) found.push(node as Node)
    else Object.values(node).forEach(search)
  }
  search(program)
  // From the end, so that the positions before it stay true.
  return found.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end).replace(/^\s*,/, ''), code)
}

/** Leaves out what schemas say to readers of the API: the page validates with them, and shows none of it. */
function withoutWords(): Plugin {
  return {
    name: 'without-words',
    apply: 'build',
    transform: {
      // Tables with words that the page shows need no schema library.
      filter: { id: /\/shared\/src\/.*\.ts$/, code: /from ['"]typebox['"]/ },
      handler(code) {
        return without(code, this.parse(code), isWord)
      },
    },
  }
}

/** The descriptions of kinds of checks. */
const KIND = /\/shared\/src\/monitoring\/checks\/kinds\/[\w-]+\.ts$/
/** Marks those that have their `faults`. */
const WITH_FAULTS = '?faults'

/**
 * Leaves the functions `faults` out of the descriptions of kinds of checks, with all that they alone use: readers of calendars, filters and
 * object ids. Each page that names a kind loads the descriptions. What checks a definition comes with the first change of a form, and has
 * a copy with `faults`.
 */
function faultsLater(): Plugin {
  return {
    name: 'faults-later',
    apply: 'build',
    resolveId: {
      order: 'pre',
      filter: { id: /\.ts$/ },
      async handler(source, importer = '', options) {
        if (!importer.endsWith(WITH_FAULTS) && !importer.endsWith('/checks/validate-definition.ts')) return null
        const resolved = await this.resolve(source, importer.replace(WITH_FAULTS, ''), options)
        return resolved && KIND.test(resolved.id) ? { ...resolved, id: resolved.id + WITH_FAULTS } : resolved
      },
    },
    transform: {
      filter: { id: KIND },
      handler(code) {
        const described = without(code, this.parse(code), ({ type, key }) => type === 'Property' && key?.name === 'faults')
        // An import without a use would still count as one when the build groups modules.
        const isUsed = (name = '') => described.split(new RegExp(`\\b${name}\\b`)).length > 2
        return without(
          described,
          this.parse(described),
          ({ type, specifiers = [] }) => type === 'ImportDeclaration' && !specifiers.some(({ local }) => isUsed(local?.name)),
        )
      },
    },
  }
}

/**
 * The script of the signed-in pages is fetched while that of the page itself runs, and while a person types the password. public/theme.js
 * gets the file of each language.
 */
function preload(): Plugin {
  return {
    name: 'preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const files = Object.values(bundle)
        const languages = files.flatMap((file) => {
          const [, language] = /messages.(\w\w)\.ts$/.exec((file.type === 'chunk' && file.facadeModuleId) || '') ?? []
          return language === undefined ? [] : [`data-${language}="/${file.fileName}"`]
        })
        return {
          html: html.replace('src="/theme.js"', ['src="/theme.js"', ...languages].join(' ')),
          tags: files
            .filter(({ name }) => name === 'signed-in')
            .map(({ fileName }) => ({
              tag: 'link',
              attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
              injectTo: 'head',
            })),
        }
      },
    },
  }
}

/** Modules by their paths without an extension. */
const modules = (...paths: string[]): RegExp => new RegExp(`/(?:${paths.join('|')})\\.[jt]sx?$`)
/** What validates bodies comes with the first change of a form. */
const hasSchema = (code: string | null | undefined): boolean => /from ['"]typebox['"]/.test(code ?? '')

/**
 * Files for modules that the same pages need. Without these there is a file for each set of pages that share a module: a page loaded 90 of
 * them, and a phone waits for each. A page that needs one module of a group loads all of it.
 */
const GROUPS: Rolldown.CodeSplittingGroup[] = [
  { name: 'first', tags: ['$initial'], priority: 4 },
  { name: 'signed-in', test: modules('dashboard/src/app/signed-in'), priority: 3 },
  { name: 'components', test: modules('dashboard/src/components/[^/]+'), minShareCount: 10, priority: 2 },
  {
    name: 'small',
    test: modules(
      'components/(?:delete-button|tab-class)',
      'lib/(?:has-documentation|save-file|target-queries|time-zone|uptime)',
      'react-query/.+/usePrefetchQuery',
      'shared/src/(?:monitoring/checks/periods|hosts/metrics/periods|notifying/on-call-choices|wire/local-time|wire/mask)',
    ),
    // Before those that would take a module of it along.
    priority: 3.5,
  },
  { name: 'health', test: modules('lib/health-tabs', 'messages/(?:entities|findings)'), priority: 2 },
  {
    // The tables of kinds of checks, entities and metrics.
    name: (id, graph) => (hasSchema(graph.getModuleInfo(id)?.code) ? null : 'kinds'),
    test: modules('shared/src/(?:alerting|hosts|monitoring)/.+', 'lib/fact-texts', 'messages/facts'),
    minShareCount: 8,
    priority: 2,
  },
  { name: 'names', test: modules('lib/(?:condition-text|entity-texts)', 'messages/metrics'), priority: 1 },
  {
    name: 'monitors',
    test: modules('monitors/(?:kind-words|queries)', 'lib/kind-texts', 'messages/kind(?:s|-facts)'),
    priority: 1,
  },
  {
    name: 'kind',
    test: modules('monitors/(?:kind|heartbeat-input|composites/input)', 'messages/(?:composites|heartbeats)'),
    priority: 1,
  },
  {
    // Of the overview, and of the pages that it is a view of.
    name: 'people',
    test: modules(
      'lib/(?:audit|budget-text|schedule-queries|slo-queries)',
      'components/(?:budget-bar|on-duty)',
      'messages/(?:audit-actions|escalation|slos|wall)',
    ),
    priority: 3,
  },
  { name: 'servers', test: modules('servers/(?:queries|outdated-badge|entities/queries)'), priority: 1 },
  {
    // What the pages of a monitor, a server and an incident have in common.
    name: 'details',
    test: modules('components/(?:chart/.+|notice|range-picker|target-alerts|two-columns)', 'lib/chart-.+'),
    minShareCount: 3,
    priority: 1,
  },
]

export default defineConfig({
  plugins: [tailwind(), precompress(), withoutWords(), faultsLater(), preload()],
  build: {
    // The content security policy allows scripts and styles from files of the same origin only, and data: for images only.
    modulePreload: { polyfill: false },
    // A test adds up the first load from the manifest. The backend does not serve files whose names start with a dot.
    manifest: true,
    assetsInlineLimit: 0,
    target: 'baseline-widely-available',
    // Libraries mark files for server rendering, which this build does not use.
    rolldownOptions: {
      output: { codeSplitting: { groups: GROUPS } },
      treeshake: { manualPureFunctions: ['Type', 'Ref', 'Nullable', 'IdOf', 'Secret', 'VisibleText'] },
      onLog: (level, log, keep) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && keep(level, log),
    },
  },
})
