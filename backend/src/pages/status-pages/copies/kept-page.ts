import type { PageModel } from '../reading/model.ts'
import type { Rendered } from '../render/rendered.ts'
import { toView, type View } from './views.ts'

/** One reading of a page. It is replaced as a whole. */
export interface PageCopy {
  organization: number
  model: PageModel
  passwordHash: string | null
  linkVersion: number
  /** `updated_at` of the page, ms. */
  updatedAtMs: number
}

export interface KeptPage {
  /** The stored id. */
  id: string
  copy: PageCopy
  /** The last attempt to read the page again failed: the copy is older than it should be. */
  isBehind: boolean
  /** Renders it, or returns what was rendered of this copy. */
  view(name: string, render: (model: PageModel, isBehind: boolean) => Rendered): View
}

/** What visitors get. */
export interface VisitedCopies {
  /** By the slug. Undefined where no published page has it; throws while a page that was never read cannot be read. */
  find(slug: string): Promise<KeptPage | undefined>
  /** The slug of the page with this proven domain. */
  slugOf(domain: string): string | undefined
  /** The slugs of published pages with this monitor, by its id on the wire. */
  slugsWith(monitorId: string): string[]
}

/** `viewsOf`: where what was rendered of this copy is; undefined once another copy has replaced it. */
export const keepPage = (
  { id, isBehind }: Pick<KeptPage, 'id' | 'isBehind'>,
  copy: PageCopy,
  viewsOf: () => Map<string, View> | undefined,
): KeptPage => ({
  id,
  copy,
  isBehind,
  view: (name, render) => {
    const views = viewsOf()
    const view = views?.get(name) ?? toView(render(copy.model, isBehind))
    views?.set(name, view)
    return view
  },
})

/** On the wire. */
export const monitorIdsOf = (copy: PageCopy | undefined): ReadonlySet<string> =>
  new Set(copy?.model.sections.flatMap(({ components }) => components.map(({ id }) => id)))
