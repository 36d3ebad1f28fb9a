import { Membership, OrganizationParams, PatchMembershipBody, Ref } from '@vedette/shared'
import { languageOfOrganization, type RouteDeps, userOf } from '../../access/auth/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import type { Db } from '../../platform/db/index.ts'
import { type App, invalidLinkPage, PLAIN_PAGE_HEADERS, plainPage } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { OFF_PATH, ownerOf } from './link.ts'
import { changeMembership } from './service.ts'
import { turnOff } from './store.ts'

export interface WeeklySummaryRouteDeps extends RouteDeps {
  db: Db
  clock: Clock
  encrypter: Encrypter
}

export async function weeklySummaryRoutes(app: App, { principalOf, encrypter, ...deps }: WeeklySummaryRouteDeps): Promise<void> {
  app.patch(
    '/v1/organizations/:id/membership',
    {
      schema: {
        operationId: 'updateMembership',
        summary: 'Change your membership',
        description:
          'Replaces your saved views or your quiet time, and turns the weekly summary of the organization on or off for yourself. It is mailed on Mondays from 07:00 UTC, when a mail server ' +
          'is configured and your e-mail is verified; not for an organization without monitors and servers.',
        tags: ['organizations'],
        params: OrganizationParams,
        body: Ref(PatchMembershipBody),
        response: { 200: Ref(Membership) },
      },
      config: { access: 'session', organizationFromPath: true },
    },
    async (request) => changeMembership(deps, userOf(principalOf(request)), request.body),
  )

  await app.register(async (pages) => {
    // Browsers send an empty form, mail programs `List-Unsubscribe=One-Click` in one: nothing in them is needed.
    pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 16_384 }, (_request, _body, done) => done(null))
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.headers(PLAIN_PAGE_HEADERS)
      done()
    })
    const ownerOfLink = (query: unknown) => {
      const { token } = query as { token?: unknown }
      return typeof token === 'string' ? ownerOf(encrypter, token) : undefined
    }
    // Programs that examine links open them: only the POST acts.
    pages.get(OFF_PATH, { schema: { hide: true } }, async (request, reply) => {
      const owner = ownerOfLink(request.query)
      if (!owner) return reply.code(404).send(invalidLinkPage(request, INVALID))
      const language = await languageOfOrganization(deps.db, owner.organization)
      return reply.send(plainPage(language, 'Turn off the weekly summary?', { buttons: [{ text: 'Turn off' }] }))
    })
    pages.post(OFF_PATH, { schema: { hide: true } }, async (request, reply) => {
      const owner = ownerOfLink(request.query)
      if (!owner) return reply.code(404).send(invalidLinkPage(request, INVALID))
      await turnOff(deps.db, owner.organization, owner.userId)
      const language = await languageOfOrganization(deps.db, owner.organization)
      return reply.send(
        plainPage(language, 'The weekly summary is off', 'You can turn it on again in the settings of your account.'),
      )
    })
  })
}

const INVALID = 'Turn the weekly summary off in the settings of your account.'
