"""What has to happen inside Redis in one step: no key may ever stand there without its time to live.

A url is a number in one of ten thousand sets, chosen by the last digits. Up to 512 numbers (Redis's default)
such a set is packed: 8 bytes per url.
"""

_DIGITS = 4
BUCKETS = 10**_DIGITS

# KEYS: what bucket names begin with. ARGV: numbers. → the positions of those that are there.
FIND_SEEN = f"""
local found = {{}}
for i = 1, #ARGV do
  if redis.call('SISMEMBER', KEYS[1] .. string.sub(ARGV[i], -{_DIGITS}), ARGV[i]) == 1 then
    found[#found + 1] = i
  end
end
return found
"""

# KEYS: what bucket names begin with. ARGV: time to live, members of a bucket at most, numbers.
# A full bucket starts afresh; one that is a day old goes, also when it is in use.
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


def name_buckets(prefix: str) -> list[str]:
    return [f"{prefix}{number:0{_DIGITS}}" for number in range(BUCKETS)]
