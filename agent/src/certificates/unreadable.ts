/** Why no certificates could be read; the message names no contents. */
export class Unreadable extends Error {}
