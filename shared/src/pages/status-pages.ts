import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH, MAX_TAG_LENGTH } from '../wire/limits.ts'
import {
  MAX_LISTED_LOGO_LENGTH,
  MAX_LOGO_BYTES,
  MAX_LOGO_LENGTH,
  MAX_PAGE_MONITORS,
  MAX_POST_TEXT,
  MAX_SECTIONS,
  MAX_TEMPLATES,
  PAGE_LANGUAGES,
  PAGE_PASSWORD_LENGTH,
  PAGE_SHOWS,
  PAGE_THEMES,
  PAGE_VISIBILITIES,
  POST_IMPACTS,
} from './status-page-choices.ts'
import { ManagedField } from '../wire/managed.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp, VisibleText } from '../wire/wire.ts'

const SlugText = Type.String({
  minLength: 2,
  maxLength: 63,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  'x-form': 'lower-case letters, digits and single hyphens, for example acme-shop',
  description: 'the page is served at `/status/:slug`; unique in the installation',
  examples: ['acme'],
})
const Domain = Nullable(
  Type.String({
    minLength: 4,
    maxLength: 253,
    pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$',
    'x-form': 'a host name in lower case, for example status.example.com',
    description: 'own domain; it answers once its TXT record `domain_record` is found',
  }),
)

export const PageThemeName = Type.Enum([...PAGE_THEMES], { $id: 'PageThemeName', description: '`auto` follows the browser' })
export const PageLanguageName = Type.Enum([...PAGE_LANGUAGES], {
  $id: 'PageLanguageName',
  description: 'Language of what members did not write',
})
export const PageVisibilityName = Type.Enum([...PAGE_VISIBILITIES], {
  $id: 'PageVisibilityName',
  description:
    '`public`: everybody; `password`: visitors who know the password; `link`: visitors who have the address, which contains a key',
})
export const PageShowName = Type.Enum([...PAGE_SHOWS], {
  $id: 'PageShowName',
  description: 'What a monitor shows in addition to its status; `members`: those of a composite with their names, folded',
})

export const StatusPageSection = Type.Object(
  {
    name: VisibleText(MAX_NAME_LENGTH),
    monitors: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: MAX_PAGE_MONITORS,
        uniqueItems: true,
        description: 'ids in the order of the page; one of `monitors` and `tag` is required',
      }),
    ),
    tag: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH, description: 'all monitors with this tag, by name' }),
    ),
    names: Type.Optional(
      Type.Record(Type.String({ pattern: '^mon_[0-7][0-9a-hjkmnp-tv-z]{25}$' }), VisibleText(MAX_NAME_LENGTH), {
        maxProperties: MAX_PAGE_MONITORS,
        description: 'public names by monitor id; without one the page shows the name of the monitor',
      }),
    ),
    show: Type.Optional(
      Type.Array(Ref(PageShowName), {
        maxItems: PAGE_SHOWS.length,
        uniqueItems: true,
        description: 'what each monitor shows in addition to its status; default `["uptime"]`',
      }),
    ),
  },
  { $id: 'StatusPageSection', description: 'Monitors under one heading', additionalProperties: false },
)
export type StatusPageSection = Static<typeof StatusPageSection>

export const PostImpactName = Type.Enum([...POST_IMPACTS], {
  $id: 'PostImpactName',
  description: 'How much of the service is affected',
  examples: ['major'],
})

export const StatusPageTemplate = Type.Object(
  {
    name: VisibleText(MAX_NAME_LENGTH, { examples: ['Payment provider'] }),
    title: VisibleText(MAX_NAME_LENGTH, { examples: ['Payments are delayed'] }),
    text: VisibleText(MAX_POST_TEXT, { examples: ['Our provider reports a problem.'] }),
    impact: Type.Optional(Ref(PostImpactName)),
  },
  { $id: 'StatusPageTemplate', description: 'A prepared text for posts', additionalProperties: false },
)
export type StatusPageTemplate = Static<typeof StatusPageTemplate>

const Fields = {
  name: VisibleText(MAX_NAME_LENGTH, { description: 'for members; visitors see `title`', examples: ['Public page'] }),
  slug: SlugText,
  domain: Domain,
  title: VisibleText(MAX_NAME_LENGTH, { examples: ['Acme status'] }),
  description: Type.String({ maxLength: 1_000, description: 'below the title; plain text', examples: ['The services of Acme'] }),
  logo: Nullable(
    Type.String({
      maxLength: MAX_LOGO_LENGTH,
      pattern: '^data:image/(png|jpeg|webp|gif|svg\\+xml);base64,[A-Za-z0-9+/]+={0,2}$',
      'x-form': 'a data URI of a PNG, JPEG, WebP, GIF or SVG image in base64',
      description:
        `an image of at most ${MAX_LOGO_BYTES} bytes as data URI; its content must be of the type that the URI names, an SVG without ` +
        `scripts. In lists one of more than ${MAX_LISTED_LOGO_LENGTH} characters is null`,
    }),
  ),
  accent: Nullable(
    Type.String({
      pattern: '^#[0-9a-f]{6}$',
      'x-form': 'a colour as #rrggbb in lower case',
      description: 'colour of links',
      examples: ['#2f5fc6'],
    }),
  ),
  theme: Ref(PageThemeName),
  time_zone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'IANA name; times of the page are in it',
    examples: ['Europe/Berlin'],
  }),
  language: Ref(PageLanguageName),
  sections: Type.Array(Ref(StatusPageSection), {
    maxItems: MAX_SECTIONS,
    examples: [[{ name: 'Services', tag: 'public', show: ['uptime', 'response'] }]],
  }),
  visibility: Ref(PageVisibilityName),
  indexed: Type.Boolean({ description: 'whether search engines may list a public page', examples: [true] }),
  published: Type.Boolean({ description: 'visitors see the page only while it is true', examples: [true] }),
  templates: Type.Array(Ref(StatusPageTemplate), { maxItems: MAX_TEMPLATES }),
}
const Password = Type.Optional(
  Secret({
    minLength: PAGE_PASSWORD_LENGTH.minimum,
    maxLength: PAGE_PASSWORD_LENGTH.maximum,
    description: 'required for the visibility `password`; never returned',
  }),
)
/** Everything but name, slug and title has a default. */
const Optional = {
  domain: Type.Optional(Fields.domain),
  description: Type.Optional(Fields.description),
  logo: Type.Optional(Fields.logo),
  accent: Type.Optional(Fields.accent),
  theme: Type.Optional(Fields.theme),
  time_zone: Type.Optional(Fields.time_zone),
  language: Type.Optional(Fields.language),
  sections: Type.Optional(Fields.sections),
  visibility: Type.Optional(Fields.visibility),
  password: Password,
  indexed: Type.Optional(Fields.indexed),
  published: Type.Optional(Fields.published),
  templates: Type.Optional(Fields.templates),
}

export const CreateStatusPageBody = Type.Object(
  { name: Fields.name, slug: Fields.slug, title: Fields.title, ...Optional },
  { $id: 'CreateStatusPageBody', description: 'A public page of the status of monitors', additionalProperties: false },
)
export type CreateStatusPageBody = Static<typeof CreateStatusPageBody>

export const PatchStatusPageBody = Type.Object(
  {
    name: Type.Optional(Fields.name),
    slug: Type.Optional(Fields.slug),
    title: Type.Optional(Fields.title),
    ...Optional,
    renew_link: Type.Optional(
      Type.Boolean({ description: '`true`: the key of the address is replaced; the old one ends at once' }),
    ),
  },
  {
    $id: 'PatchStatusPageBody',
    description: 'Changes only the fields that are given; lists are replaced as a whole',
    examples: [{ published: false }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchStatusPageBody = Static<typeof PatchStatusPageBody>

export const StatusPage = Type.Object(
  {
    id: IdOf('statusPage'),
    ...Fields,
    url: Type.String({
      description: 'address of the page; with its key where the visibility is `link`',
      examples: ['https://vedette.example.com/status/acme'],
    }),
    domain_status: Nullable(
      Type.String({ description: '`pending` until the record was found, then `verified`; null without a domain' }),
    ),
    domain_record: Nullable(
      Type.Object(
        { name: Type.String(), value: Type.String() },
        { description: 'the TXT record that proves the domain; null without a domain' },
      ),
    ),
    managed: ManagedField,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'StatusPage', description: 'A public page of the status of monitors' },
)
export type StatusPage = Static<typeof StatusPage>

export const StatusPageListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const StatusPageList = Type.Object(
  { status_pages: Type.Array(Ref(StatusPage)), ...PageAnswer },
  { $id: 'StatusPageList', description: 'A page of status pages, newest first' },
)
export type StatusPageList = Static<typeof StatusPageList>

export const StatusPagePreviewBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'page whose posts are shown; without it there are none',
        examples: ['spg_01kb6r2qkhe7b8z0v4n9m1c3d5'],
      }),
    ),
    title: Fields.title,
    description: Optional.description,
    logo: Optional.logo,
    accent: Optional.accent,
    theme: Optional.theme,
    time_zone: Optional.time_zone,
    language: Optional.language,
    sections: Optional.sections,
  },
  {
    $id: 'StatusPagePreviewBody',
    description: 'A status page that is not stored',
    examples: [{ title: 'Acme status', sections: [{ name: 'Services', tag: 'public' }] }],
    additionalProperties: false,
  },
)
export type StatusPagePreviewBody = Static<typeof StatusPagePreviewBody>

export const StatusPagePreview = Type.Object(
  {
    html: Type.String({
      description: 'a whole HTML document without references',
      examples: ['<!doctype html><html lang="en">…</html>'],
    }),
  },
  { $id: 'StatusPagePreview', description: 'A status page as visitors would see it now' },
)
export type StatusPagePreview = Static<typeof StatusPagePreview>
