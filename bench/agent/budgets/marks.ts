/** Paths in a trace. Behind the first: the work of an agent has ended, with the bytes that it allocated and its garbage collections. */
export const PREPARING = '/budget/ends'
/** The next work begins. */
export const WORKING = '/budget/begins'
