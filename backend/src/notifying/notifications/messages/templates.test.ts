import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { openingOf } from './sample.ts'
import { renderTemplate, withTemplates } from './templates.ts'

const opening = openingOf()

describe('a template of a channel', () => {
  it('has the texts, the incident and the link of the message', async () => {
    const template =
      '{{ incident.severity | upcase }} {{ incident.target.name }} ({{ event }}, {{ tone }})\n{{ lines | join: "; " }}\n{{ link }}'
    expect(await renderTemplate('text_template', template, opening)).toEqual({
      text: `CRITICAL Shop "EU" (incident.opened, critical)\n${opening.content.lines.join('; ')}\n${opening.link}`,
    })
  })

  it('makes JSON of any name with the filter json', async () => {
    const { text } = await renderTemplate('body_template', '{"name": {{ incident.target.name | json }}}', opening)
    expect(JSON.parse(text)).toEqual({ name: 'Shop "EU"' })
  })

  it.each([
    ['a loop over a huge range', '{% for i in (1..100000000) %}{% for j in (1..100000000) %}{% endfor %}{% endfor %}'],
    [
      'a text that doubles',
      `{% assign a = "${'x'.repeat(100)}" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}{{ a }}`,
    ],
    ['another template', '{% include "/etc/passwd" %}'],
    ['a file', '{% render "../../etc/passwd" %}'],
    ['a layout', '{% layout "base" %}'],
    ['a filter that does not exist', '{{ title | shell }}'],
    ['a tag that is not closed', '{% if title %}'],
    ['an output that is not closed', '{{ title'],
  ])('with %s makes nothing, and says why', async (_what, template) => {
    const { text, fault } = await renderTemplate('text_template', template, opening)
    expect(text).toBe('')
    expect(fault).toMatch(/^[^\n]{5,300}$/)
  })

  it.each([
    '{{ title.constructor }}',
    '{{ lines.__proto__ }}',
    '{{ incident.constructor.name }}',
    '{{ process.env }}',
    '{{ toString }}',
  ])('reads nothing of JavaScript by %s', async (template) =>
    expect(await renderTemplate('text_template', template, opening)).toEqual({ text: '' }),
  )
})

describe('a template that never ends', () => {
  /** One filter that compares each of n values with n others: no tag looks at the time meanwhile. */
  const quadratic = (n: number, name: string) =>
    `{% assign ${name} = (1..${n}) %}{{ ${name} | has_exp: "x", "${name} contains 'q'" }}`
  const title = (template: string, isTrial = false) => renderTemplate('title_template', template, opening, isTrial)

  it('is ended, neither stops the event loop nor other templates, and is not tried again at the next message', async () => {
    const delay = monitorEventLoopDelay({ resolution: 10 })
    await title('{{ title }}')
    delay.enable()
    const endless = quadratic(300_000, 'endless')
    const [first, other, trial] = await Promise.all([title(endless), title('{{ tone }}'), title(endless, true)])
    const again = await title(endless)
    delay.disable()
    for (const rendering of [first, again, trial]) expect(rendering).toEqual({ text: '', fault: 'it takes more than 50 ms' })
    expect(other).toEqual({ text: 'critical' })
    // It blocked for hours; what is left are the pauses of a busy machine.
    expect(delay.max / 1e6).toBeLessThan(5_000)
  })

  it('is refused for its time alone, so that none on a busy machine is: twenty at once are rendered', async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, (_, index) => title(`{{ tone }} ${index}`)))
    expect(texts).toEqual(Array.from({ length: 20 }, (_, index) => ({ text: `critical ${index}` })))
  })
})

describe('a template that makes a value too large to allocate', () => {
  const doubled = `{% assign a = "aaaaaaaa" %}${'{% capture a %}{{ a }}{{ a }}{% endcapture %}'.repeat(26)}`
  const nested = `{% assign a = "b" | split: "," %}${'{% assign a = a | push: a %}'.repeat(40)}`
  it.each([
    ['a text that is captured and doubled, as a number', `${doubled}{{ a | to_integer }}`],
    ['a text that is captured and doubled, in parts', `${doubled}{{ a | replace: "" }}`],
    ['an array within itself, as text', `${nested}{{ a }}`],
    ['an array within itself, as JSON', `${nested}{{ a | json }}`],
    [
      'JSON with much indentation',
      `{% assign a = "b" | split: "," %}{% assign e = a | compact %}{% for i in (1..3000) %}{% assign n = e | slice: 0, 0 %}{% assign a = n | push: a %}{% endfor %}{{ a | json: 10 }}`,
    ],
    ['a long text', `${'{% for i in (1..300) %}'.repeat(2)}aaaaaaaaaaaaaaaa${'{% endfor %}'.repeat(2)}`],
  ])('with %s fails with its bound', async (_what, template) => {
    const { text, fault } = await renderTemplate('text_template', template, opening)
    expect(text).toBe('')
    expect(fault).toMatch(/^it (?:makes more than [\d,]+ (?:values and )?characters|takes more than 50 ms)/)
  })
})

describe('a message with templates', () => {
  it('has the texts of its channel, a title of one line, and the same tone and link', async () => {
    const { message, fault } = await withTemplates(opening, {
      title_template: '{{ tone }}:\n{{ title }}',
      text_template: 'a\n\n{{ event }}\n',
    })
    expect(fault).toBeUndefined()
    expect(message).toEqual({
      ...opening,
      content: { tone: 'critical', title: `critical: ${opening.content.title}`, lines: ['a', '', 'incident.opened'] },
    })
  })

  it('keeps the standard text where a template fails, makes nothing, or is absent', async () => {
    for (const template of ['{{ title | shell }}', '{% if false %}x{% endif %}', '  \n '])
      expect((await withTemplates(opening, { title_template: template, text_template: template })).message).toEqual(opening)
    expect(await withTemplates(opening, {})).toEqual({ message: opening, fault: undefined })
    expect((await withTemplates(opening, { text_template: '{{ title | shell }}' })).fault).toMatch(/undefined filter: shell/)
  })

  it('lets no control character of a template into a title or a line', async () => {
    const { message } = await withTemplates(opening, { title_template: 'a\u001b[2Jb', text_template: 'a\u001b[2Jb\u202ec' })
    expect(message.content).toMatchObject({ title: 'a [2Jb', lines: ['a [2Jbc'] })
  })
})
