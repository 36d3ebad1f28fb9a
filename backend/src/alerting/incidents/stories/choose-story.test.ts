import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../../../test/random.ts'
import { chooseStory, type RelatedFacts, type SharedTag } from './choose-story.ts'

const ALONE: RelatedFacts = { isSlo: false, targetName: 'web-1', sameTarget: [], parent: undefined, tags: [] }
const tag = (silent: number, servers: number, own: Partial<SharedTag> = {}): SharedTag => ({
  tag: 'site:berlin',
  silent,
  servers,
  storyId: null,
  ...own,
})
const other = (incidentId: string, storyId: string | null = null) => ({ incidentId, storyId, targetName: 'router' })

describe('an incident that opens', () => {
  it('is alone where nothing else is open', () => expect(chooseStory(ALONE)).toBeUndefined())

  it.each([
    [1, 1, false],
    [2, 2, false],
    [2, 3, false],
    [3, 3, true],
    [3, 5, true],
    [3, 6, false],
    [4, 6, true],
    [58, 116, false],
    [59, 116, true],
    [116, 116, true],
  ])('is one of %i silent of %i servers with a tag: a story is %s', (silent, servers, isStory) =>
    expect(chooseStory({ ...ALONE, tags: [tag(silent, servers)] }) !== undefined).toBe(isStory),
  )

  it('belongs to the tag with the largest silent part, and stays with that of an open story', () => {
    const tags = [tag(6, 10, { tag: 'os:linux' }), tag(5, 5), tag(3, 5, { tag: 'rack:1' })]
    expect(chooseStory({ ...ALONE, tags })?.tag).toBe('site:berlin')
    expect(chooseStory({ ...ALONE, tags: [...tags, tag(4, 7, { tag: 'region:eu', storyId: 'a' })] })).toMatchObject({
      tag: 'region:eu',
      storyId: 'a',
    })
  })

  it('joins the rules that say the same of its target, or their story', () => {
    expect(chooseStory({ ...ALONE, sameTarget: [other('a')] })).toEqual({
      cause: { kind: 'same_target', text: 'several rules on web-1' },
      storyId: null,
      incidentIds: ['a'],
      tag: null,
    })
    expect(chooseStory({ ...ALONE, sameTarget: [other('b'), other('c', 'a')] })?.storyId).toBe('a')
    expect(chooseStory({ ...ALONE, isSlo: true, sameTarget: [other('a')] })?.cause.kind).toBe('slo')
  })

  it('joins what its target depends on, unless there is a closer cause', () => {
    const parent = other('p')
    const cause = { kind: 'parent', text: 'what depends on router' }
    expect(chooseStory({ ...ALONE, parent })).toEqual({ cause, storyId: null, incidentIds: ['p'], tag: null })
    const known = chooseStory({ ...ALONE, parent: other('p', 's') })
    expect(known).toEqual({ cause, storyId: 's', incidentIds: [], tag: null })
    expect(chooseStory({ ...ALONE, parent, sameTarget: [other('a')] })?.cause.kind).toBe('same_target')
    expect(chooseStory({ ...ALONE, parent, sameTarget: [other('a')], tags: [tag(3, 3)] })?.cause.kind).toBe('shared_tag')
  })

  it('never shares a tag of which half of the servers or more are well, nor depends on the order of the tags', () => {
    const random = randomFrom(40)
    for (let round = 0; round < 2_000; round += 1) {
      const tags = Array.from({ length: 1 + Math.floor(random() * 4) }, (_one, index) => {
        const servers = 1 + Math.floor(random() * 12)
        return tag(1 + Math.floor(random() * servers), servers, {
          tag: `t${index}`,
          storyId: random() < 0.3 ? `s${index}` : null,
        })
      })
      const chosen = chooseStory({ ...ALONE, tags })
      const of = tags.find((one) => one.tag === chosen?.tag)
      const explains = ({ silent, servers }: SharedTag) => silent >= 3 && silent > servers / 2
      expect(of ? explains(of) : !tags.some(explains)).toBe(true)
      expect(chooseStory({ ...ALONE, tags: tags.toReversed() })).toEqual(chosen)
    }
  })
})
