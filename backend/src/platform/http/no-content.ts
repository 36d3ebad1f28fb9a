import { Type } from 'typebox'

/** What a 204 has in place of a body. */
export const NoContent = Type.Null({ description: 'Done' })

/** Answers 204 once the work is done. */
export async function noContent<Sent>(
  reply: { code(status: 204): { send(body: null): Sent } },
  work: Promise<unknown>,
): Promise<Sent> {
  await work
  return reply.code(204).send(null)
}
