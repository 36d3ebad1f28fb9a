import { CHAT_SERVICES, type ChatService } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS, STEERING } from '../../../../test/outside-texts.ts'
import { encodeId } from '../../../platform/ids.ts'
import { type Chats, codeIn, startChats } from './scene.ts'

let chats: Chats
let ada: { userId: string; email: string }
beforeAll(async () => {
  chats = await startChats()
  const as = await chats.backend.member(chats.organization, 'member')
  ada = { userId: as.userId, email: (await chats.backend.call('GET', '/v1/auth/me', { as })).body.email }
  for (const service of CHAT_SERVICES)
    await chats.connect(as, codeIn(await chats.press(service, { incidentId: await chats.open(), user: '1' })))
})
afterAll(() => chats.close())

type Sent = Awaited<ReturnType<Chats['send']>>
const bodiesOf = ({ requests }: Pick<Sent, 'requests'>) => requests.map(({ body }) => JSON.parse(String(body)))

/** What the message becomes; undefined where it stays. */
function changeIn(service: ChatService, answer: Sent) {
  if (service === 'slack') return bodiesOf(answer).find((body) => body.replace_original)
  if (service === 'telegram') return bodiesOf(answer)[0]
  const { type, data } = JSON.parse(answer.text)
  return type === 7 ? data : undefined
}

/** Its title, its lines and what its buttons send. */
function shownIn(service: ChatService, answer: Sent): { title: string; lines: string[]; buttons: string[] } {
  const change = changeIn(service, answer)
  if (service === 'slack') {
    const [title, lines, ...rest] = change.blocks
    const actions = rest.find(({ type }: { type: string }) => type === 'actions')?.elements ?? []
    const buttons = actions.map(({ value }: { value: string }) => value)
    return { title: title.text.text, lines: lines.text.text.split('\n'), buttons }
  }
  if (service === 'telegram') {
    const [title = '', ...lines] = change.text.split('\n')
    const buttons = change.reply_markup.inline_keyboard.flat().map((button: { callback_data: string }) => button.callback_data)
    return { title: title.replace(/^<b>(.*)<\/b>$/, '$1'), lines, buttons }
  }
  const [{ title, description }] = change.embeds
  const buttons = change.components.flatMap(({ components }: { components: { custom_id: string }[] }) =>
    components.map(({ custom_id: value }) => value),
  )
  return { title, lines: description.split('\n'), buttons }
}

const timeOf = (atMs: number) => new Date(atMs).toISOString().slice(11, 16)

describe.each(CHAT_SERVICES)('after a press the message of %s', (service) => {
  const press = (action: string, incidentId: string) =>
    chats.send(service, chats.bodyOf(service, { action, incidentId, user: '1' }))

  it('says who did what and when, and has only the buttons that can still do something [CHAT-08]', async () => {
    const { clock } = chats.backend
    const id = await chats.open()
    const step = `by ${ada.email}, ${timeOf(clock.now())} UTC`
    expect(shownIn(service, await press('acknowledge', id))).toMatchObject({
      title: 'Acknowledged: Shop is down: no answer',
      lines: expect.arrayContaining([`acknowledged ${step}`, 'monitor: Shop', 'severity: critical']),
      buttons: [`snooze ${id}`, `resolve ${id}`],
    })
    expect(shownIn(service, await press('snooze', id))).toMatchObject({
      lines: expect.arrayContaining([`acknowledged ${step}, until ${timeOf(clock.now() + 3_600_000)} UTC`]),
      buttons: [`snooze ${id}`, `resolve ${id}`],
    })
    const resolved = shownIn(service, await press('resolve', id))
    expect([resolved.title, resolved.lines[0], resolved.buttons]).toEqual([
      'Resolved: Shop is down: no answer',
      `resolved ${step}`,
      [],
    ])
  })

  it('has the texts of its channel, below who did it [CHAT-09]', async () => {
    const config = { title_template: 'Own {{ event }}', text_template: '{{ incident.target.name }}\n'.repeat(200) }
    const owner = await chats.backend.apiKey(chats.organization, 'admin')
    const change = (body: object) =>
      chats.backend.call('PATCH', `/v1/channels/${chats.channels[service]}`, { as: owner, body: { config: body } })
    expect((await change(config)).status).toBe(200)
    const { title, lines } = shownIn(service, await press('acknowledge', await chats.open()))
    await change({ title_template: null, text_template: null })
    expect([title, lines[0], lines[1]]).toEqual([
      'Own incident.acknowledged',
      expect.stringMatching(`^acknowledged by ${ada.email}, `),
      'Shop',
    ])
  })

  it('stays as it is where the press did nothing [CHAT-10]', async () => {
    const id = await chats.open()
    const unknown = await chats.send(service, chats.bodyOf(service, { incidentId: id, user: '99' }))
    expect(changeIn(service, unknown)).toBeUndefined()
    expect(changeIn(service, await press('delete', id))).toBeUndefined()
    expect(changeIn(service, await press('acknowledge', encodeId('incident', ada.userId)))).toBeUndefined()
  })

  it('is the same where the chat sends the press again [CHAT-11]', async () => {
    const id = await chats.open()
    const body = chats.bodyOf(service, { action: 'snooze', incidentId: id, user: '1' })
    const [first, second] = [await chats.send(service, body), await chats.send(service, body)]
    expect(shownIn(service, second)).toEqual(shownIn(service, first))
  })

  it.each(Object.entries(HOSTILE_TEXTS))('shows names with %s as text', async (_what, name) => {
    const id = encodeId('incident', await chats.alerts.open({ target_name: name, summary: `${name} is down` }))
    const { db } = chats.backend.pool
    const rename = (email: string) => db.updateTable('app_user').set({ email }).where('id', '=', ada.userId).execute()
    await rename(`${name}@example.com`)
    const answer = await press('acknowledge', id)
    await rename(ada.email)
    const { title, lines, buttons } = shownIn(service, answer)
    expect(buttons).toEqual([`snooze ${id}`, `resolve ${id}`])
    const texts = [title, ...lines.filter((line) => !line.includes('Open in Vedette'))]
    // Of Discord the title is repeated in the lines where its escapes do not fit.
    expect(texts.length).toBeLessThanOrEqual(service === 'discord' ? 6 : 5)
    for (const text of texts) expect([text, text.match(STEERING), markupOf(service, text)]).toEqual([text, null, []])
  })
})

/** What the service would read as more than text. */
function markupOf(service: ChatService, text: string): string[] {
  if (service === 'discord') return text.replaceAll(/\\./gsu, '').match(/[*_~`|<>[\]#]/g) ?? []
  return text.match(/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/g) ?? []
}

describe('where a press is on an incident that is acknowledged already', () => {
  it.each(['slack', 'telegram'] as const)('%s shows the answer and changes the message', async (service) => {
    const id = await chats.open()
    const press = () => chats.send(service, chats.bodyOf(service, { incidentId: id, user: '1' }))
    await press()
    const answer = await press()
    expect(shownIn(service, answer).buttons).toEqual([`snooze ${id}`, `resolve ${id}`])
    const text = service === 'slack' ? bodiesOf(answer)[1].text : JSON.parse(answer.text).text
    expect(text).toMatch(/^Already acknowledged by /)
  })

  it('Discord, which takes one response, shows the answer [CHAT-12]', async () => {
    const id = await chats.open()
    const press = () => chats.send('discord', chats.bodyOf('discord', { incidentId: id, user: '1' }))
    await press()
    const { text, requests } = await press()
    expect([JSON.parse(text), requests]).toEqual([
      { type: 4, data: { content: expect.stringMatching(/^Already /), flags: 64, allowed_mentions: { parse: [] } } },
      [],
    ])
  })
})

describe('the requests and responses of a press have the form that is documented by', () => {
  const press = async (service: ChatService, action: string, incidentId?: string, body = (text: string) => text) =>
    chats.send(service, body(chats.bodyOf(service, { action, incidentId: incidentId ?? (await chats.open()), user: '1' })))

  it('Slack: only the message, by the URL of the press [CHAT-13]', async () => {
    const { text, requests } = await press('slack', 'resolve')
    expect([text, requests]).toEqual(['', [expect.objectContaining({ url: expect.stringMatching(/\/answers\/\d+$/) })]])
    expect(bodiesOf({ requests })[0]).toMatchObject({
      replace_original: true,
      mrkdwn: false,
      blocks: [{ type: 'section' }, {}, {}],
    })
  })

  it('Discord: an update of the message without the buttons that it had [CHAT-14]', async () => {
    const { text, requests } = await press('discord', 'resolve')
    expect([JSON.parse(text), requests]).toEqual([
      { type: 7, data: { embeds: [expect.objectContaining({})], components: [], allowed_mentions: { parse: [] } } },
      [],
    ])
  })

  it('Telegram: the query is answered in the response, the message is edited by a request [CHAT-15]', async () => {
    const { text, requests } = await press('telegram', 'resolve')
    expect(JSON.parse(text)).toEqual({
      method: 'answerCallbackQuery',
      callback_query_id: '42',
      text: 'Resolved.',
      show_alert: false,
    })
    expect(requests.map(({ url }) => url)).toEqual(['https://api.telegram.org/bot1:x/editMessageText'])
    expect(bodiesOf({ requests })[0]).toMatchObject({
      chat_id: -100,
      message_id: expect.any(Number),
      parse_mode: 'HTML',
      reply_markup: { inline_keyboard: [] },
    })
  })

  it('Telegram: a message that it does not name is not edited [CHAT-16]', async () => {
    const id = await chats.open()
    const { status, requests } = await press('telegram', 'acknowledge', id, (text) =>
      text.replace(/"chat":\{[^}]*\}/, '"chat":{}'),
    )
    expect([status, requests, (await chats.read(id)).status]).toEqual([200, [], 'acknowledged'])
  })
})

it('Slack gets the message from a backend [CHAT-17]', async () => {
  const id = await chats.open()
  const body = chats.bodyOf('slack', { incidentId: id, user: '1' })
  chats.receiver.received.length = 0
  await chats.send('slack', body, { through: chats.backend.vedette.app })
  await chats.receiver.until(1)
  const [{ path, body: text } = { path: '', body: '{}' }] = chats.receiver.received
  expect([path, JSON.parse(text)]).toEqual([
    expect.stringMatching(/^\/answers\//),
    expect.objectContaining({ replace_original: true }),
  ])
})

it('a message has the date where it is not the day on which the incident opened [CHAT-18]', async () => {
  const ids = [await chats.open(), await chats.open(), await chats.open()]
  chats.backend.clock.advance(86_400_000)
  const at = new Date(chats.backend.clock.now()).toISOString()
  for (const [index, service] of CHAT_SERVICES.entries()) {
    const body = chats.bodyOf(service, { incidentId: ids[index] ?? '', user: '1' })
    const { lines } = shownIn(service, await chats.send(service, body))
    expect(lines[0]).toBe(`acknowledged by ${ada.email}, ${at.slice(0, 10)} ${at.slice(11, 16)} UTC`)
  }
})
