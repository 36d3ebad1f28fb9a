import { MAX_COMMENT_LENGTH, VISIBLE_PATTERN } from '@vedette/shared'
import { Type } from 'typebox'
import { ACTION_PATH } from '../../../notifying/notifications/index.ts'
import {
  type App,
  invalidLinkPage,
  PLAIN_PAGE_HEADERS,
  type PageItem,
  plainPage,
  takeForms,
} from '../../../platform/http/index.ts'
import { act, type Action, type ActionDeps, isAction, openLink } from './service.ts'

const LABELS: Record<Action, string> = { acknowledge: 'Acknowledge', snooze: 'Snooze for 1 hour', resolve: 'Resolve' }
const DONE: Record<Action, string> = {
  acknowledge: 'The incident is acknowledged',
  snooze: 'The incident is acknowledged for an hour',
  resolve: 'The incident is resolved',
}
const MAX_BODY_BYTES = 16_384
/** As in the API; a form sends an empty comment where there is none. */
const VISIBLE = new RegExp(VISIBLE_PATTERN, 'u')

/** The pages that links of notifications open. Programs that examine mails open links too: only the POST acts. */
export async function incidentActionRoutes(app: App, deps: ActionDeps): Promise<void> {
  await app.register(async (pages) => {
    takeForms(pages, MAX_BODY_BYTES)
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.headers(PLAIN_PAGE_HEADERS)
      done()
    })
    const tokenOf = ({ query }: { query: unknown }): string => {
      const { token } = query as { token?: unknown }
      return typeof token === 'string' ? token : ''
    }
    pages.get(ACTION_PATH, { schema: { hide: true } }, async (request, reply) => {
      const link = await openLink(deps, tokenOf(request))
      if (!link) return reply.code(404).send(invalidLinkPage(request, INVALID))
      const { status, summary, id } = link.incident
      const items = [`This incident is ${status}.`, ...formOf(status), toIncident(id)]
      return reply.send(plainPage(link.language, summary, ...items))
    })
    pages.post(ACTION_PATH, { schema: { hide: true, body: Type.Unknown() } }, async (request, reply) => {
      const [action, comment] = [fieldOf(request.body, 'action'), fieldOf(request.body, 'comment')]
      const token = tokenOf(request)
      const link = await openLink(deps, token)
      if (!link) return reply.code(404).send(invalidLinkPage(request, INVALID))
      const { language, incident } = link
      const say = (title: string) => plainPage(language, title, toIncident(incident.id))
      if (!isAction(action)) return reply.code(400).send(say('Unknown action'))
      if (comment.length > MAX_COMMENT_LENGTH)
        return reply.code(400).send(plainPage(language, 'The comment is too long', TOO_LONG))
      const isDone = await act(deps, token, link, action, VISIBLE.test(comment) ? comment : '', request.ip)
      return isDone ? reply.send(say(DONE[action])) : reply.code(409).send(say('This was done already'))
    })
  })
}

/** A body of another type may have a field that is no text. */
function fieldOf(body: unknown, name: string): string {
  const value = (body as Partial<Record<string, unknown>> | null | undefined)?.[name]
  return typeof value === 'string' ? value : ''
}

function formOf(status: string): PageItem[] {
  if (status === 'resolved') return []
  const actions: Action[] = [...(status === 'open' ? (['acknowledge'] as const) : []), 'snooze', 'resolve']
  const comment = { text: 'Comment', maxLength: MAX_COMMENT_LENGTH }
  return [{ comment, buttons: actions.map((action) => ({ text: LABELS[action], action })) }]
}

const toIncident = (id: string): PageItem => ({ link: `/incidents/${id}`, text: 'Open the incident' })

const TOO_LONG = `It may have ${MAX_COMMENT_LENGTH} characters. Nothing was done: go back and shorten it.`

const INVALID = 'It has expired, or you may not change this incident any more. Sign in to see your incidents.'
