import { describe, expect, it } from 'vitest'
import { openingOf } from './sample.ts'
import { renderTemplate, withTemplates } from './templates.ts'

const opening = openingOf()

describe('a template of a channel', () => {
  it('has the texts, the incident and the link of the message', () => {
    const template =
      '{{ incident.severity | upcase }} {{ incident.target.name }} ({{ event }}, {{ tone }})\n{{ lines | join: "; " }}\n{{ link }}'
    expect(renderTemplate(template, opening)).toEqual({
      text: `CRITICAL Shop "EU" (incident.opened, critical)\n${opening.content.lines.join('; ')}\n${opening.link}`,
    })
  })

  it('makes JSON of any name with the filter json', () => {
    const { text } = renderTemplate('{"name": {{ incident.target.name | json }}}', opening)
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
  ])('with %s makes nothing, and says why', (_what, template) => {
    const { text, fault } = renderTemplate(template, opening)
    expect(text).toBe('')
    expect(fault).toMatch(/^[^\n]{5,300}$/)
  })

  it.each([
    '{{ title.constructor }}',
    '{{ lines.__proto__ }}',
    '{{ incident.constructor.name }}',
    '{{ process.env }}',
    '{{ toString }}',
  ])('reads nothing of JavaScript by %s', (template) => expect(renderTemplate(template, opening)).toEqual({ text: '' }))
})

describe('a message with templates', () => {
  it('has the texts of its channel, a title of one line, and the same tone and link', () => {
    const { message, fault } = withTemplates(opening, {
      title_template: '{{ tone }}:\n{{ title }}',
      text_template: 'a\n\n{{ event }}\n',
    })
    expect(fault).toBeUndefined()
    expect(message).toEqual({
      ...opening,
      content: { tone: 'critical', title: `critical: ${opening.content.title}`, lines: ['a', '', 'incident.opened'] },
    })
  })

  it('keeps the standard text where a template fails, makes nothing, or is absent', () => {
    for (const template of ['{{ title | shell }}', '{% if false %}x{% endif %}', '  \n '])
      expect(withTemplates(opening, { title_template: template, text_template: template }).message).toEqual(opening)
    expect(withTemplates(opening, {})).toEqual({ message: opening, fault: undefined })
    expect(withTemplates(opening, { text_template: '{{ title | shell }}' }).fault).toMatch(/undefined filter: shell/)
  })

  it('lets no control character of a template into a title or a line', () => {
    const { message } = withTemplates(opening, { title_template: 'a\u001b[2Jb', text_template: 'a\u001b[2Jb\u202ec' })
    expect(message.content).toMatchObject({ title: 'a [2Jb', lines: ['a [2Jbc'] })
  })
})
