"""Lua scripts for what must happen inside Redis in one step: no key may ever exist without a time to live.

A url is a number in one of ten thousand sets, chosen by the last digits. Up to 512 numbers (Redis's default)
such a set is packed: 8 bytes per url.
"""

_DIGITS = 4
BUCKETS = 10**_DIGITS

# KEYS: the prefix of bucket names. ARGV: numbers. → the positions of those that are present.
FIND_SEEN = f"""
local found = {{}}
for i = 1, #ARGV do
  if redis.call('SISMEMBER', KEYS[1] .. string.sub(ARGV[i], -{_DIGITS}), ARGV[i]) == 1 then
    found[#found + 1] = i
  end
end
return found
"""

# KEYS: the prefix of bucket names. ARGV: time to live, maximum members of a bucket, numbers. A full bucket is
# emptied; one that is a day old expires even if it is in use.
REMEMBER = f"""
for i = 3, #ARGV do
  local bucket = KEYS[1] .. string.sub(ARGV[i], -{_DIGITS})
  if redis.call('SADD', bucket, ARGV[i]) == 1 then
    local size = redis.call('SCARD', bucket)
    if size > tonumber(ARGV[2]) then
      redis.call('DEL', bucket)
    elseif size == 1 then
      redis.call('EXPIRE', bucket, ARGV[1])
    end
  end
end
return #ARGV - 2
"""

# KEYS: reports of the run, events. ARGV: their times to live, events to keep, worker, report.
PUBLISH = """
redis.call('HSET', KEYS[1], ARGV[4], ARGV[5])
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], '*', 'report', ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1
"""

# KEYS: notices. ARGV: their time to live, notices to keep, notice.
ANNOUNCE = """
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'notice', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""

# Both use the clock of Redis, the same for all callers, in microseconds.
_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
"""

# KEYS: the instants that count. ARGV: limit, window. → 1 if the request was admitted and counted, how many
# more would be admitted, how long until the next would be, and how long until all would be.
HIT = (
    _NOW
    + """
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local first = redis.call('LINDEX', KEYS[1], 0)
while first and tonumber(first) <= now - window do
  redis.call('LPOP', KEYS[1])
  first = redis.call('LINDEX', KEYS[1], 0)
end
local used, let_in = redis.call('LLEN', KEYS[1]), 0
if used < limit then
  redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  used, let_in = used + 1, 1
end
local next_free = now
if let_in == 0 then
  next_free = redis.call('LINDEX', KEYS[1], used - limit) + window
end
local all_free = redis.call('LINDEX', KEYS[1], -1) + window
return {let_in, math.max(limit - used, 0), next_free - now, all_free - now}
"""
)

# KEYS: counts of failures. ARGV: first wait, longest wait, how long failures are remembered after it, and for
# each key the number of free failures. → how long to wait; 0: this attempt counts as failed until it is
# cleared.
ATTEMPT = (
    _NOW
    + """
local wait = 0
for i = 1, #KEYS do
  wait = math.max(wait, (tonumber(redis.call('HGET', KEYS[i], 'until') or 0)) - now)
end
if wait > 0 then
  return wait
end
for i = 1, #KEYS do
  local failures, rest = redis.call('HINCRBY', KEYS[i], 'failures', 1), 0
  local free = tonumber(ARGV[3 + i])
  if failures >= free then
    rest = math.min(tonumber(ARGV[1]) * 2 ^ (failures - free), tonumber(ARGV[2]))
  end
  redis.call('HSET', KEYS[i], 'until', string.format('%.0f', now + rest))
  redis.call('PEXPIRE', KEYS[i], math.ceil((rest + tonumber(ARGV[3])) / 1000))
end
return 0
"""
)

# KEYS: a count of failures. The last attempt was not a failure, and nothing has to wait for it.
UNDO_ATTEMPT = """
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('HINCRBY', KEYS[1], 'failures', -1) <= 0 then
    redis.call('DEL', KEYS[1])
  else
    redis.call('HDEL', KEYS[1], 'until')
  end
end
return 1
"""


def name_buckets(prefix: str) -> list[str]:
    return [f"{prefix}{number:0{_DIGITS}}" for number in range(BUCKETS)]
