//! A store for answers in a Redis or Valkey server that several proxies share.
//!
//! The keys of a client have the prefix `toolglot:{OWNER}:`. `answer:ID` is a hash of the answer's record, its predecessor
//! and the ids of its items, `item:ID` is the id of the answer that an item belongs to, `order` has the answers by their last
//! use, `sizes` the bytes of each, `size` of all. Every operation is an atomic script.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, RedisError};
use tokio::sync::Mutex;
use toolglot_json::Value;
use toolglot_wire::StoredAnswer;

use crate::bodies::in_time;
use crate::config::Config;
use crate::owner::Owner;

/// A lazy connection to the server, and the limits.
pub(crate) struct SharedStore {
    client: Client,
    connection: Mutex<Option<MultiplexedConnection>>,
    /// Timeout of the server.
    patience: Option<Duration>,
    /// Lifetime of an unused answer in milliseconds.
    kept: u128,
    most: usize,
    most_bytes: usize,
}

/// A serialised answer: its head, the input and the output.
type StoredRecord = (String, String, Vec<(String, String)>);

/// Shared by all scripts: the server's time in microseconds, and how to use and delete an answer. Times of last use are
/// unique, whatever the clock says, so that there is an oldest answer.
const COMMON: &str = "
local prefix, kept, most, most_bytes = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local order, size = prefix .. 'order', prefix .. 'size'
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function items(id)
    return cjson.decode(redis.call('HGET', prefix .. 'answer:' .. id, 'items') or '[]')
end
local function forget(id)
    for _, item in ipairs(items(id)) do
        if redis.call('GET', prefix .. 'item:' .. item) == id then redis.call('DEL', prefix .. 'item:' .. item) end
    end
    local bytes = redis.call('HGET', prefix .. 'sizes', id)
    if bytes then redis.call('DECRBY', size, bytes) end
    redis.call('HDEL', prefix .. 'sizes', id)
    redis.call('ZREM', order, id)
    return redis.call('DEL', prefix .. 'answer:' .. id)
end
local function live(key) if kept > 0 then redis.call('PEXPIRE', key, kept) end end
local function use(id)
    live(prefix .. 'answer:' .. id)
    for _, item in ipairs(items(id)) do live(prefix .. 'item:' .. item) end
    for _, key in ipairs({order, size, prefix .. 'sizes'}) do live(key) end
    local last = redis.call('ZRANGE', order, -1, -1, 'WITHSCORES')[2]
    redis.call('ZADD', order, string.format('%.0f', math.max(now, (last or 0) + 1)), id)
end
";

const KEEP: &str = "
local id, record, previous, bytes = ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
forget(id)
if kept > 0 then
    local late = string.format('%.0f', now - kept * 1000)
    for _, old in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', late)) do forget(old) end
end
redis.call('HSET', prefix .. 'answer:' .. id, 'record', record, 'previous', previous, 'items', ARGV[8])
redis.call('HSET', prefix .. 'sizes', id, bytes)
redis.call('INCRBY', size, bytes)
for _, item in ipairs(items(id)) do redis.call('SET', prefix .. 'item:' .. item, id) end
use(id)
while redis.call('ZCARD', order) > most or tonumber(redis.call('GET', size)) > most_bytes do
    local oldest = redis.call('ZRANGE', order, 0, 0)[1]
    if not oldest then break end
    forget(oldest)
end
";

const CONVERSATION: &str = "
local records, id = {}, ARGV[4]
while id ~= '' do
    local found = redis.call('HMGET', prefix .. 'answer:' .. id, 'record', 'previous')
    if not found[1] or #records >= most then return false end
    use(id)
    records[#records + 1] = found[1]
    id = found[2]
end
return records
";

const RESPONSE: &str = "
local record = redis.call('HGET', prefix .. 'answer:' .. ARGV[4], 'record')
if record then use(ARGV[4]) end
return record
";

const ITEM: &str = "
local id = redis.call('GET', prefix .. 'item:' .. ARGV[4])
if not id then return false end
local record = redis.call('HGET', prefix .. 'answer:' .. id, 'record')
if record then use(id) end
return record
";

const FORGET: &str = "return forget(ARGV[4])";

impl SharedStore {
    /// Prepares a store without connecting to the server.
    pub(crate) fn open(url: &str, config: &Config) -> Result<Self, String> {
        let client = Client::open(url).map_err(|error| format!("{error}; use a URL such as `redis://HOST:6379`"))?;
        let kept = config.timeouts.kept.0.as_millis();
        let (most, most_bytes) = (config.limits.answers_kept, config.limits.bytes_kept.0);
        let patience = config.timeouts.store.on();
        Ok(Self { client, connection: Mutex::default(), patience, kept, most, most_bytes })
    }

    pub(crate) async fn item(&self, owner: Owner, id: &str) -> Result<Option<Value>, String> {
        let record: Option<String> = self.ask(&self.script(ITEM, owner, id)).await?;
        let Some((_, _, output)) = record.as_deref().map(read).transpose()? else { return Ok(None) };
        let text = output.into_iter().find(|(item, _)| item == id).map(|(_, text)| text);
        text.as_deref().map(json).transpose()
    }

    pub(crate) async fn conversation(&self, owner: Owner, id: &str) -> Result<Option<Vec<Value>>, String> {
        let records: Option<Vec<String>> = self.ask(&self.script(CONVERSATION, owner, id)).await?;
        let Some(records) = records else { return Ok(None) };
        let mut items = Vec::new();
        for record in records.iter().rev() {
            let (_, input, output) = read(record)?;
            items.append(&mut json(&input)?);
            for (_, text) in &output {
                items.push(json(text)?);
            }
        }
        Ok(Some(items))
    }

    pub(crate) async fn keep(&self, owner: Owner, answer: StoredAnswer) -> Result<(), String> {
        let StoredAnswer { id, previous, head, input, output } = answer;
        let items: Value = output.iter().map(|(item, _)| item.as_str()).collect();
        let record =
            serde_json::to_string::<StoredRecord>(&(head, input, output)).map_err(|error| error.to_string())?;
        let mut script = self.script(KEEP, owner, &id);
        script.arg(&record).arg(previous.unwrap_or_default()).arg(record.len()).arg(items.to_string());
        self.ask(&script).await
    }

    pub(crate) async fn response(&self, owner: Owner, id: &str) -> Result<Option<Value>, String> {
        let record: Option<String> = self.ask(&self.script(RESPONSE, owner, id)).await?;
        let Some((head, _, output)) = record.as_deref().map(read).transpose()? else { return Ok(None) };
        let mut response: Value = json(&head)?;
        response["output"] = output.iter().map(|(_, text)| json(text)).collect::<Result<Vec<Value>, _>>()?.into();
        Ok(Some(response))
    }

    pub(crate) async fn forget(&self, owner: Owner, id: &str) -> Result<(), String> {
        self.ask(&self.script(FORGET, owner, id)).await
    }

    fn script(&self, script: &str, owner: Owner, id: &str) -> Cmd {
        let mut command = redis::cmd("EVAL");
        command.arg(format!("{COMMON}{script}")).arg(1).arg(format!("toolglot:{{{}}}:", owner.name()));
        command.arg(self.kept.to_string()).arg(self.most).arg(self.most_bytes).arg(id);
        command
    }

    /// Runs a command within the timeout.
    async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, String> {
        match in_time(self.patience, self.ask_twice(command)).await {
            Ok(answered) => answered.map_err(|error| error.to_string()),
            Err(time) => {
                // A connection that timed out may never recover.
                self.hang_up().await;
                Err(format!("no answer within {time:?} (`timeouts.store`)"))
            }
        }
    }

    /// Runs a command, and retries it over a new connection if the current one is broken.
    async fn ask_twice<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisError> {
        let mut connection = self.connected().await?;
        match command.query_async(&mut connection).await {
            Err(error) if error.is_io_error() || error.is_unrecoverable_error() => self.hang_up().await,
            answered => return answered,
        }
        let mut connection = self.connected().await?;
        command.query_async(&mut connection).await
    }

    async fn connected(&self) -> Result<MultiplexedConnection, RedisError> {
        let mut connection = self.connection.lock().await;
        if let Some(connection) = connection.as_ref() {
            return Ok(connection.clone());
        }
        // The caller applies the timeout.
        let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        let made = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(connection.insert(made).clone())
    }

    async fn hang_up(&self) {
        *self.connection.lock().await = None;
    }
}

fn read(record: &str) -> Result<StoredRecord, String> {
    json(record)
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("invalid stored answer: {error}"))
}
