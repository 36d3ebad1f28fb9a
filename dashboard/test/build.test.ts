import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { DIST, filesOf, furtherKilobytes, kilobytes, LATER, pageKilobytes, pagesOfRoutes } from './figures/script.ts'

describe('the build', () => {
  it('needs at most 175 kB of compressed script for sign-in and overview, and less for the sign-in alone', () => {
    for (const language of ['src/messages/en.ts', 'src/messages/de.ts']) {
      const signIn = kilobytes(filesOf(['index.html', language]))
      const overview = kilobytes(filesOf(['index.html', 'src/app/signed-in.tsx', language]))
      expect(overview).toBeLessThanOrEqual(175)
      expect(signIn).toBeLessThan(overview)
    }
  })

  it.each(['en', 'de'])('opens each further page with at most 60 kB of compressed script, texts included (%s)', (language) => {
    const pages = pagesOfRoutes()
    expect(pages.length).toBeGreaterThan(20)
    const sizes = pages.map((name) => [name, pageKilobytes(name, language)] as const)
    expect(sizes.filter(([, size]) => size === 0 || size > 60)).toEqual([])
  })

  it('loads at most 60 kB more with each part that comes later, and with the checks of each form', () => {
    const schemas = readdirSync(join(import.meta.dirname, '../src/lib/bodies')).map((file) => `src/lib/bodies/${file}`)
    const parts = [...Object.keys(LATER).map((part) => [part]), ...schemas.map((schema) => ['src/lib/faults.ts', schema])]
    const sizes = parts.map((names) => [names.join(', '), furtherKilobytes(...names)] as const)
    expect(sizes.filter(([, size]) => size === 0 || size > 60)).toEqual([])
  })

  it('loads few files at once: each costs a phone some milliseconds, however small it is', () => {
    const first = filesOf(['index.html', 'src/app/signed-in.tsx', 'src/messages/en.ts'])
    expect(first.size).toBeLessThanOrEqual(6)
    const counts = pagesOfRoutes().map((name) => [name, [...filesOf([name])].filter((file) => !first.has(file)).length] as const)
    expect(counts.filter(([, count]) => count > 30)).toEqual([])
    // With the texts for which a page waits.
    const details = pagesOfRoutes()
      .filter((name) => name.endsWith('/details.tsx'))
      .map((name) => [name, filesOf([name], (file) => file.startsWith('src/messages/en/'), first).size - first.size] as const)
    expect(details.filter(([, count]) => count > 18)).toEqual([])
    expect(details).toHaveLength(3)
  })

  it('has each language in a file of its own, which the page can wait for', () => {
    const contents = (name: string) => [...filesOf([name])].map((file) => readFileSync(join(DIST, file), 'utf8'))
    const page = [...filesOf(['index.html', 'src/app/signed-in.tsx'])]
      .map((file) => readFileSync(join(DIST, file), 'utf8'))
      .join('')
    expect(['Sign in', 'Anmelden'].filter((text) => page.includes(text))).toEqual([])
    expect(contents('src/messages/en.ts')).toEqual([expect.stringContaining('Sign in')])
    expect(contents('src/messages/de.ts')).toEqual([expect.stringContaining('Anmelden')])
  })

  it.each([
    [{}, ['de-AT', 'en'], 'de'],
    [{ language: 'browser' }, ['fr', 'constructor'], 'en'],
    [{ language: 'de' }, ['en-GB'], 'de'],
    [null, [], 'en'],
  ])('requests the texts together with the script: preferences %j, browser %j', (preferences, languages, expected) => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8')
    const element = /<script src="\/theme\.js"[^>]*>/.exec(page)?.[0] ?? ''
    const [links, root] = [[] as string[], { dataset: {} }]
    const document = {
      documentElement: root,
      currentScript: { getAttribute: (name: string) => new RegExp(` ${name}="([^"]+)"`).exec(element)?.[1] ?? null },
      createElement: () => ({}),
      head: { append: ({ rel, href }: { rel: string; href: string }) => links.push(`${rel} ${href}`) },
    }
    const localStorage = { getItem: () => preferences && JSON.stringify(preferences) }
    const globals = { document, localStorage, navigator: { languages }, setTimeout: () => 0 }
    runInNewContext(readFileSync(join(DIST, 'theme.js'), 'utf8'), globals)
    expect(links).toEqual([`modulepreload /${[...filesOf([`src/messages/${expected}.ts`])][0]}`])
  })

  it('loads the chart library apart from the pages, when one of them has a chart', () => {
    const all = [...filesOf(['index.html', 'src/app/signed-in.tsx'])]
      .map((file) => readFileSync(join(DIST, file), 'utf8'))
      .join('')
    const details = [...filesOf(['src/features/servers/details.tsx'])]
      .map((file) => readFileSync(join(DIST, file), 'utf8'))
      .join('')
    const plot = [...filesOf(['src/components/chart/plot.ts'])].map((file) => readFileSync(join(DIST, file), 'utf8')).join('')
    expect([all, details, plot].map((script) => script.includes('u-over'))).toEqual([false, false, true])
  })

  it('has no words of schemas for readers of the API, which only validate here', () => {
    const script = [...filesOf(['src/lib/faults.ts', 'src/lib/bodies/status-pages.ts'])]
      .map((file) => readFileSync(join(DIST, file), 'utf8'))
      .join('')
    const texts = ['CreateStatusPageBody', 'A public page of the status of monitors', 'ada@example.com']
    expect(texts.filter((text) => script.includes(text))).toEqual(['CreateStatusPageBody'])
  })

  it('has what checks a definition apart from the pages that name kinds, with the first change of a form', () => {
    const page = filesOf(['src/features/monitors/details.tsx'])
    const later = [...filesOf(['src/features/monitors/plain-faults.ts'])].filter((file) => !page.has(file))
    const scriptOf = (files: Iterable<string>) => [...files].map((file) => readFileSync(join(DIST, file), 'utf8')).join('')
    const texts = ['broker.example.com', 'must have a topic without', 'must be heartbeat:// and a name']
    const found = [page, later].map((files) => texts.map((text) => scriptOf(files).includes(text)))
    expect(found).toEqual([
      [true, false, false],
      [true, true, true],
    ])
  })

  it('has no inline script or style, which the content security policy would reject', () => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8')
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/)
  })
})
