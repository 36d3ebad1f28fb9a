import type { StatusPagePreview, StatusPagePreviewBody } from '@vedette/shared'
import type { Tenant } from '../../../access/auth/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { newRandomId, parseId } from '../../../platform/ids.ts'
import { addressOf } from '../pages/address.ts'
import { DEFAULTS, type PageDeps, requireShowable } from '../pages/service.ts'
import { findPage, type PageRow } from '../pages/store.ts'
import type { PageFigures } from '../reading/figures.ts'
import type { PageModel } from '../reading/model.ts'
import { readModel, readPage } from '../reading/read.ts'
import { renderPage } from '../render/html.ts'

export interface PreviewDeps extends Pick<PageDeps, 'db' | 'clock' | 'publicUrl'> {
  /** The figures of the last preview of an organization: a person who types reads them once a minute. */
  lastFigures: Map<number, PageFigures>
}

/** Organizations whose figures are kept. */
const MAX_FIGURES = 50

/** The page as visitors would see it now, published or not. Throws not_found across organizations. */
export async function previewPage(deps: PreviewDeps, tenant: Tenant, id: string): Promise<StatusPagePreview> {
  const read = await readPage(deps.db, tenant.number, id, deps.clock.now())
  if (!read) throw notFound()
  return toPreview(deps, read.model)
}

/** A page that is not stored, as visitors would see it. Throws validation_error; monitors of others are left out. */
export async function previewDraft(
  deps: PreviewDeps,
  tenant: Tenant,
  { id, ...fields }: StatusPagePreviewBody,
): Promise<StatusPagePreview> {
  const { db, clock, lastFigures } = deps
  const at = new Date(clock.now())
  const pageId = id === undefined ? newRandomId() : await knownPage(db, tenant, id)
  const own = {
    id: pageId,
    name: fields.title,
    slug: 'preview',
    sections: [],
    templates: [],
    managed: null,
    created_at: at,
    updated_at: at,
  }
  const row: PageRow = { ...DEFAULTS, ...own, ...fields }
  requireShowable(row)
  const { model, figures } = await readModel(db, tenant.number, row, clock.now(), lastFigures.get(tenant.number))
  if (figures) {
    lastFigures.delete(tenant.number)
    lastFigures.set(tenant.number, figures)
    const [oldest] = lastFigures.keys()
    if (lastFigures.size > MAX_FIGURES && oldest !== undefined) lastFigures.delete(oldest)
  }
  return toPreview(deps, model)
}

async function knownPage(db: PageDeps['db'], tenant: Tenant, given: string): Promise<string> {
  const id = parseId('statusPage', given)
  if (id === undefined || !(await findPage(db, tenant.number, id)))
    throw invalid({ path: 'id', message: 'is not a status page of this organization' })
  return id
}

function toPreview({ publicUrl }: Pick<PreviewDeps, 'publicUrl'>, model: PageModel): StatusPagePreview {
  const { slug, domain } = model
  const url = addressOf(publicUrl(), slug, domain)
  const context = { url, base: `/status/${slug}`, query: '', isBehind: false, isAlone: true, takesSubscribers: false }
  return { html: renderPage(model, context).body }
}
