/** In a file of its own, without the schema library, so that an agent can load it alone. */
/** Of all kinds, in one batch. */
export const MAX_ENTITIES = 1_000
/** Of all of them in a batch as JSON: a push has room for little more. */
export const MAX_ENTITIES_BYTES = 524_288
export const MAX_ENTITY_NAME_LENGTH = 256
export const MAX_ENTITY_ATTRIBUTES = 16
export const MAX_ENTITY_ATTRIBUTE_LENGTH = 512
/** In one batch. */
export const MAX_ENTITY_EVENTS = 100
/** The last lines of what an entity wrote before the event. */
export const MAX_EVENT_LINES = 20
export const MAX_EVENT_LINE_LENGTH = 512
/** Series of a host's own metrics that an agent takes, unless its config allows more. */
export const OWN_METRICS = { min: 1, max: 2_000, default: 500 } as const
/** Different entities that a server may have had within the retention; what is new beyond is not stored. */
export const MAX_ENTITIES_PER_SERVER = 50_000
