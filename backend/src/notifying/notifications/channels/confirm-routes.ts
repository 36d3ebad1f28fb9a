import { Type } from 'typebox'
import { CONFIRM_PATH, type ConfirmLinks } from '../../mail/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { type App, invalidLinkPage, PLAIN_PAGE_HEADERS, plainPage, takeForms } from '../../../platform/http/index.ts'
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
      return link && found && { ...link, ...found }
    }
    pages.get(CONFIRM_PATH, { schema: { hide: true } }, async (request, reply) => {
      const link = await find(request)
      if (!link) return reply.code(404).send(invalidLinkPage(request, INVALID))
      const text = `${link.name} wants to send its notifications to ${link.address}.`
      return reply.send(plainPage(link.language, 'Confirm this address', text, { buttons: [{ text: 'Confirm' }] }))
    })
    pages.post(CONFIRM_PATH, { schema: { hide: true, body: Type.Unknown() } }, async (request, reply) => {
      const link = await find(request)
      if (!link) return reply.code(404).send(invalidLinkPage(request, INVALID))
      await confirmAddress(db, link.organization, link.address)
      return reply.send(plainPage(link.language, 'The address is confirmed', `${link.address} gets all notifications now.`))
    })
  })
}

const INVALID = 'Nothing is sent to this address any more.'
