/** Ids of one installation, shared by all examples for consistency. */
export const ORGANIZATION_ID = 'org_01m7ynqmvgetqbsqnfm6y3d0bt'
export const USER_ID = 'usr_01m7ynqmvge6rtzgyzr2m4jq4p'
export const SERVER_ID = 'srv_01m7ynqn7regvvxphj8vj2pz1s'
export const TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImExYjJjM2Q0In0.eyJzdWIiOiJ1c3JfMDFtN3lucW12In0.Zm9yIHNob3cgb25seQ'
export const SERVER_TOKEN = 'vdt_srv_FL8LxvN2cQ0d7mWb4TzYp1RkHs9GjUe3AoXi5MnZq6Vy0EtBa'
export const PAGE = { total: 1, page: 1, limit: 20 }
