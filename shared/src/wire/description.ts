import { type Static, type TSchema, Type } from 'typebox'
import { DESCRIPTION } from './limits.ts'
import { Nullable, Ref, VisibleText } from './wire.ts'

const RUNBOOK = 'https://wiki.example.com/shop'

/** A page that people open; nothing fetches it. What could end a link in the markup of a chat is refused. */
const PageUrl = (description: string) =>
  Type.String({
    maxLength: DESCRIPTION.urlLength,
    pattern: '^https?://[^\\s\\u0000-\\u001f\\u007f<>"\\\\^`{|}]+$',
    'x-form': 'an http:// or https:// URL',
    description,
    examples: [RUNBOOK],
  })

export const PageLink = Type.Object(
  {
    name: VisibleText(DESCRIPTION.linkNameLength, { examples: ['Dashboard of the shop'] }),
    url: PageUrl('http or https; nothing fetches it'),
  },
  { $id: 'PageLink', description: 'A page that helps with a monitor or server', additionalProperties: false },
)
export type PageLink = Static<typeof PageLink>

/** What people read where something is wrong with it: of rules, monitors and servers. */
const RULE_DESCRIPTION = {
  description: Nullable(
    VisibleText(DESCRIPTION.length, {
      description: 'Markdown of links, lists and code; everything else is shown as it stands. null: none',
      examples: ['Restart `shop-api` first, then see [the log](https://logs.example.com/shop).'],
    }),
  ),
  runbook_url: Nullable(PageUrl('what to do when it fails: notifications link to it; nothing fetches it. null: none')),
}

/** The same of monitors and servers. */
const TARGET_DESCRIPTION = {
  ...RULE_DESCRIPTION,
  responsible: Nullable(
    VisibleText(DESCRIPTION.responsibleLength, {
      description: 'the person or team to turn to; a text, nobody is notified by it. null: none',
      examples: ['Team Shop'],
    }),
  ),
  links: Type.Array(Ref(PageLink), { maxItems: DESCRIPTION.links, description: 'default: none' }),
}

/** For bodies: the backend fills in defaults. */
const optional = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [Name in keyof Fields]: ReturnType<typeof Type.Optional<Fields[Name]>>
  }

export const RuleDescription = { answer: RULE_DESCRIPTION, body: optional(RULE_DESCRIPTION) }
export const TargetDescription = { answer: TARGET_DESCRIPTION, body: optional(TARGET_DESCRIPTION) }

/** A rule without any of it. */
export const NO_RULE_DESCRIPTION = { description: null, runbook_url: null }
/** The same of a monitor or server. */
export const NO_TARGET_DESCRIPTION = { ...NO_RULE_DESCRIPTION, responsible: null, links: [] as PageLink[] }
