import { truncateText } from '@vedette/shared'
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerInFirstHook, type App, pathOf } from '../../../platform/http/index.ts'
import type { VisitedCopies } from '../copies/kept-page.ts'
import { type BadgeRequest, renderBadge } from '../render/badge.ts'
import { isKnownTag, NOINDEX, NOT_FOUND, PUBLIC_CACHE } from './answers.ts'
import { type Badge, parseBadge } from './badges.ts'

const MAX_LABEL_LENGTH = 64

const HEADERS = {
  'cache-control': PUBLIC_CACHE,
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  ...NOINDEX,
}

/** Badges of monitors that a published public page shows, from the copies of those pages. */
export function badgeRoutes(app: App, { copies }: { copies: VisitedCopies }): void {
  async function svgOf({ monitorId, ...badge }: Badge & BadgeRequest): Promise<string | undefined> {
    for (const slug of copies.slugsWith(monitorId)) {
      const model = (await copies.find(slug))?.copy.model
      if (model?.visibility !== 'public') continue
      const shown = model.sections.flatMap(({ components }) => components).filter(({ id }) => id === monitorId)
      for (const component of shown) {
        const svg = renderBadge(model, component, badge)
        if (svg !== undefined) return svg
      }
    }
    return undefined
  }

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = pathOf(request.url)
    const query = new URLSearchParams(request.url.slice(path.length))
    const badge = parseBadge(path, query.get('period'))
    const label = truncateText(query.get('label') ?? '', MAX_LABEL_LENGTH) || undefined
    const svg = badge && (await svgOf({ ...badge, label }))
    if (svg === undefined) return void reply.code(404).headers(NOT_FOUND.headers).send(NOT_FOUND.body)
    const etag = `"${createHash('sha256').update(svg).digest('base64url').slice(0, 22)}"`
    reply.headers({ ...HEADERS, etag })
    if (isKnownTag(request.headers['if-none-match'], etag)) return void reply.code(304).send()
    void reply.type('image/svg+xml; charset=utf-8').send(svg)
  }

  for (const url of ['/badge/*', '/api/badge/*', '/api/v1/endpoints/*'])
    answerInFirstHook(app, { method: ['GET', 'HEAD'], url }, show)
}
