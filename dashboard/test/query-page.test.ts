import { join } from 'node:path'
import { createElement, type FunctionComponent } from 'react'
import { expect, it } from 'vitest'
import { openWindow } from './dom/window.ts'

interface Props {
  title: string
  query: { data: string | undefined; isError: boolean }
  isWaiting: boolean
  children: (data: string) => string
}

/** By a path: the type checker of the tests reads no JSX. */
const FILE = join(import.meta.dirname, '../src/components/query-page.tsx')

it('renders the first answer of a page in pieces, and later ones at once', async () => {
  const { document } = openWindow()
  const { createRoot } = await import('react-dom/client')
  const { flushSync } = await import('react-dom')
  const { QueryPage } = (await import(FILE)) as { QueryPage: FunctionComponent<Props> }
  const element = document.createElement('div')
  const root = createRoot(element)
  /** What is there before the browser can paint. */
  const shown = (data: string | undefined, isWaiting = false): string => {
    const query = { data, isError: false }
    flushSync(() => root.render(createElement(QueryPage, { title: '', query, isWaiting, children: (name) => name })))
    return element.textContent
  }
  expect(shown(undefined)).toBe('')
  expect(shown('Shop', true)).toBe('')
  expect(shown('Shop')).toBe('')
  await expect.poll(() => element.textContent).toBe('Shop')
  expect(shown('Store')).toBe('Store')
  root.unmount()
})
