import { MAX_COMMENT_LENGTH, VISIBLE_PATTERN } from '@vedette/shared'
import { Type } from 'typebox'
import { ACTION_PATH } from '../../../notifying/notifications/index.ts'
import { escapeHtml } from '../../../platform/escape-html.ts'
import { type App, PLAIN_PAGE_HEADERS, plainPage, takeForms } from '../../../platform/http/index.ts'
import { act, type Action, type ActionDeps, isAction, openLink } from './service.ts'

const LABELS: Record<Action, string> = { acknowledge: 'Acknowledge', snooze: 'Snooze for 1 hour', resolve: 'Resolve' }
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
      if (!link) return reply.code(404).send(INVALID)
      const { status, summary, id } = link.incident
      return reply.send(plainPage(escapeHtml(summary), `<p>This incident is ${status}.</p>${formOf(status)}${toIncident(id)}`))
    })
    pages.post(ACTION_PATH, { schema: { hide: true, body: Type.Unknown() } }, async (request, reply) => {
      const [action, comment] = [fieldOf(request.body, 'action'), fieldOf(request.body, 'comment')]
      const token = tokenOf(request)
      const link = await openLink(deps, token)
      if (!link) return reply.code(404).send(INVALID)
      if (!isAction(action)) return reply.code(400).send(plainPage('Unknown action', toIncident(link.incident.id)))
      if (comment.length > MAX_COMMENT_LENGTH) return reply.code(400).send(TOO_LONG)
      const isDone = await act(deps, token, link, action, VISIBLE.test(comment) ? comment : '', request.ip)
      if (!isDone) return reply.code(409).send(plainPage('This was done already', toIncident(link.incident.id)))
      return reply.send(plainPage(`Done: ${LABELS[action].toLowerCase()}`, toIncident(link.incident.id)))
    })
  })
}

/** A body of another type may have a field that is no text. */
function fieldOf(body: unknown, name: string): string {
  const value = (body as Partial<Record<string, unknown>> | null | undefined)?.[name]
  return typeof value === 'string' ? value : ''
}

const button = (action: Action): string => `<button name="action" value="${action}">${LABELS[action]}</button>`

function formOf(status: string): string {
  if (status === 'resolved') return ''
  const actions: Action[] = [...(status === 'open' ? (['acknowledge'] as const) : []), 'snooze', 'resolve']
  return `<form method="post"><p><label>Comment<br><textarea name="comment" rows="3" maxlength="${MAX_COMMENT_LENGTH}"></textarea></label></p>${actions.map(button).join('')}</form>`
}

const toIncident = (id: string): string => `<p><a href="/incidents/${id}">Open the incident</a></p>`

const TOO_LONG = plainPage(
  'The comment is too long',
  `<p>It may have ${MAX_COMMENT_LENGTH} characters. Nothing was done: go back and shorten it.</p>`,
)
const INVALID = plainPage(
  'This link is not valid',
  '<p>It has expired, or you may not change this incident any more. Sign in to see your incidents.</p>',
)
