import { describe, expect, it } from 'vitest'
import { claimAt, domainOf, plainEmail, roleFrom, verifiedEmail } from './claims.ts'

describe('the verified e-mail of claims', () => {
  it.each([
    [{ email: 'Ada@Example.com', email_verified: true }, 'ada@example.com'],
    [{ email: 'ada@example.com', xms_edov: true }, 'ada@example.com'],
    [{ email: 'ada@example.com', xms_edov: '1' }, 'ada@example.com'],
    [{ email: 'ada@example.com' }, undefined],
    [{ email: 'ada@example.com', email_verified: false, xms_edov: true }, undefined],
    [{ email: 'ada@example.com', email_verified: 'true' }, undefined],
    [{ email: 'ada@example.com', email_verified: 1 }, undefined],
    [{ email: ['ada@example.com'], email_verified: true }, undefined],
    [{ email_verified: true }, undefined],
    [{ email: 'ada@evil.test@example.com', email_verified: true }, undefined],
    [{ email: 'ada@example.com\n', email_verified: true }, 'ada@example.com'],
    [{ email: 'ad a@example.com', email_verified: true }, undefined],
    [{ email: 'ada', email_verified: true }, undefined],
  ])('of %j is %s', (claims, email) => expect(verifiedEmail(claims)).toBe(email))

  it('has one domain', () => {
    expect(domainOf(plainEmail('ada@Example.com') ?? '')).toBe('example.com')
    expect(plainEmail('ada@exämple.com')).toBeUndefined()
  })
})

describe('the role of claims', () => {
  const rules = {
    role_claim: 'groups',
    role_mapping: [
      { value: 'ops', role: 'admin' as const },
      { value: 'dev', role: 'member' as const },
    ],
    default_role: 'viewer' as const,
  }
  it.each([
    [{ groups: ['dev', 'ops'] }, 'admin'],
    [{ groups: ['ops', 'dev'] }, 'admin'],
    [{ groups: 'dev' }, 'member'],
    [{ groups: ['owner'] }, 'viewer'],
    [{ groups: null }, 'viewer'],
    [{}, 'viewer'],
  ])('of %j is %s', (claims, role) => expect(roleFrom(claims, rules)).toBe(role))

  it('is left alone without a role claim', () => {
    expect(roleFrom({ groups: ['ops'] }, { ...rules, role_claim: null, role_mapping: [] })).toBeUndefined()
  })

  it('is found by the name of the claim, else by its path', () => {
    expect(claimAt({ realm_access: { roles: ['ops'] } }, 'realm_access.roles')).toEqual(['ops'])
    expect(claimAt({ 'https://x.test/roles': ['ops'] }, 'https://x.test/roles')).toEqual(['ops'])
    expect(claimAt({ a: 1 }, 'a.constructor')).toBeUndefined()
    expect(claimAt({}, 'constructor')).toBeUndefined()
  })
})
