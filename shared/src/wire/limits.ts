/** Bounds of what people type. This file needs no schema library, so that the page can load it alone. */
export const MAX_NAME_LENGTH = 200
export const MAX_DISPLAY_NAME_LENGTH = 255
/** How long a server that registered may be without a push before it is a problem. */
export const NEW_SERVER_MS = 600_000
export const MAX_TAGS = 20
export const MAX_TAG_LENGTH = 64
/** Of one monitor or server. */
export const MAX_DEPENDENCIES = 20
/** Shown of one incident. */
export const MAX_CHILD_INCIDENTS = 50
/** Targets that an item of `group=story` names. */
export const MAX_AFFECTED = 20
/** On the line of time of one story. */
export const MAX_STORY_EVENTS = 500
/** Of a member, in one organization. */
export const MAX_SAVED_VIEWS = 50
export const MAX_VIEW_NAME_LENGTH = 60
export const MAX_COMMENT_LENGTH = 2_000
export const PASSWORD_MIN_LENGTH = 12
export const PASSWORD_MAX_LENGTH = 128
/** Of what people say about monitors, servers and rules, in UTF-16 units; `links`: their number. A field of Discord takes 1,024. */
export const DESCRIPTION = { length: 4_000, urlLength: 1_000, responsibleLength: 200, links: 10, linkNameLength: 100 } as const
/** Of a monitor. */
export const MAX_ACTIVE_HOURS = 10
