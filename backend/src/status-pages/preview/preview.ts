import type { StatusPagePreview } from '@vedette/shared'
import type { Tenant } from '../../auth/index.ts'
import { notFound } from '../../platform/errors.ts'
import { readPage } from '../reading/read.ts'
import { renderPage } from '../render/html.ts'
import type { PageDeps } from '../pages/service.ts'

export type PreviewDeps = Pick<PageDeps, 'db' | 'clock'>

/** The page as visitors would see it now, published or not. Throws not_found across organizations. */
export async function previewPage({ db, clock }: PreviewDeps, tenant: Tenant, id: string): Promise<StatusPagePreview> {
  const read = await readPage(db, tenant.number, id, clock.now())
  if (!read) throw notFound()
  const context = { base: `/status/${read.model.slug}`, query: '', isBehind: false, takesSubscribers: false }
  return { html: renderPage(read.model, context).body }
}
