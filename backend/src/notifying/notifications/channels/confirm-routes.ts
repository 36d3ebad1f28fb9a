import { Type } from 'typebox'
import { CONFIRM_PATH, type ConfirmLinks } from '../../mail/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { escapeHtml } from '../../../platform/escape-html.ts'
import { type App, PLAIN_PAGE_HEADERS, plainPage, takeForms } from '../../../platform/http/index.ts'
import { confirmAddress, findChannelsTo } from './store.ts'

export interface ConfirmDeps {
  db: Db
  confirmLinks: ConfirmLinks
}

const MAX_BODY_BYTES = 1_024

/** The page on which an address of a channel confirms itself. Programs that examine mails open links too: only the POST confirms. */
export async function confirmAddressRoutes(app: App, { db, confirmLinks }: ConfirmDeps): Promise<void> {
  await app.register(async (pages) => {
    takeForms(pages, MAX_BODY_BYTES)
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.headers(PLAIN_PAGE_HEADERS)
      done()
    })
    const find = async ({ query }: { query: unknown }) => {
      const { token } = query as { token?: unknown }
      const link = typeof token === 'string' ? confirmLinks.read(token) : undefined
      const found = link && (await findChannelsTo(db, link.organization, link.address))
      return link && found && { ...link, name: found.name }
    }
    pages.get(CONFIRM_PATH, { schema: { hide: true } }, async (request, reply) => {
      const link = await find(request)
      if (!link) return reply.code(404).send(INVALID)
      const text = `<p>${escapeHtml(link.name)} wants to send its notifications to ${escapeHtml(link.address)}.</p>`
      return reply.send(plainPage('Confirm this address', `${text}<form method="post"><button>Confirm</button></form>`))
    })
    pages.post(CONFIRM_PATH, { schema: { hide: true, body: Type.Unknown() } }, async (request, reply) => {
      const link = await find(request)
      if (!link) return reply.code(404).send(INVALID)
      await confirmAddress(db, link.organization, link.address)
      return reply.send(plainPage('The address is confirmed', `<p>${escapeHtml(link.address)} gets all notifications now.</p>`))
    })
  })
}

const INVALID = plainPage('This link is not valid', '<p>Nothing is sent to this address any more.</p>')
