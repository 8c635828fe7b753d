// SPDX-License-Identifier: BSD-3-Clause
// Over real sockets. Deadlines are short where one is waited for, and out of the way everywhere else.
#include "http_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

#include "gzip_text.h"
#include "http_client.h"
#include "listen_address.h"

namespace rocetop::cli {
namespace {

using std::chrono::milliseconds;
using test::Answer;
using test::HttpClient;

constexpr milliseconds kShort{50};
constexpr milliseconds kNever{600'000};

HttpLimits patient() {
  HttpLimits limits;
  limits.head = limits.idle = limits.response = kNever;
  return limits;
}

/// Echoes the path, and says whether gzip was allowed.
void echo(const HttpRequest& request, const HttpRespond& respond) {
  respond(HttpResponse::text(200, request.path + (request.gzip ? " gzip" : " plain")));
}

struct Served {
  explicit Served(const HttpLimits& limits = patient(), HttpHandler handler = echo, HttpPolicy policy = {},
                  HttpAnswered answered = {}, const std::string& host = "127.0.0.1") {
    auto sockets = listen_on({host, 0});
    EXPECT_TRUE(sockets);
    address = sockets->front().address();
    server = std::make_unique<HttpServer>(std::move(sockets.value()), limits, std::move(policy), std::move(handler),
                                          std::move(answered));
  }
  HttpClient client() const { return HttpClient(address); }
  std::uint64_t rejected(HttpRejection why) const { return server->counts().rejections[static_cast<std::size_t>(why)]; }
  /// A client may see the end of its connection a moment before it is counted.
  bool comes_to_reject(HttpRejection why, std::uint64_t times) const {
    return test::comes_true([&] { return rejected(why) >= times; }) && rejected(why) == times;
  }

  std::string address;
  std::unique_ptr<HttpServer> server;
};

TEST(HttpServer, AnswersOneRequestAfterTheOther) {
  const Served served;
  HttpClient client = served.client();
  for (const char* path : {"/metrics", "/-/ready"}) {
    const Answer answer = client.get(path).answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, std::string(path) + " plain");
    EXPECT_TRUE(answer.head.starts_with("HTTP/1.1 200 OK\r\n")) << answer.head;
    EXPECT_EQ(HttpClient::field(answer.head, "Date").size(), 29U);
  }
}

TEST(HttpServer, AnswersWhatWasAskedBeforeTheLastAnswer) {
  const Served served;
  HttpClient client = served.client();
  client.send(
      "GET /1 HTTP/1.1\r\nHost: t\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: t\r\n\r\nGET /3?q HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(client.answer().body, "/1 plain");
  const Answer head = client.answer(false);  // what follows shows that it has no body
  EXPECT_EQ(HttpClient::field(head.head, "Content-Length"), "8");
  EXPECT_EQ(client.answer().body, "/3 plain");
}

TEST(HttpServer, EndsTheConnectionWhereThatIsAskedFor) {
  const Served served;
  const Answer old = served.client().send("GET /x HTTP/1.0\r\n\r\n").answer();
  EXPECT_EQ(old.body, "/x plain");
  EXPECT_EQ(HttpClient::field(old.head, "Connection"), "close");
  HttpClient client = served.client();
  EXPECT_EQ(client.get("/y", "Connection: close\r\n").answer().body, "/y plain");
  EXPECT_EQ(client.rest(), "");
}

TEST(HttpServer, ReadsAcceptEncoding) {
  const Served served;
  HttpClient client = served.client();
  for (const auto& [header, gzip] : std::vector<std::pair<std::string, bool>>{{"gzip", true},
                                                                              {"deflate, GZIP;q=0.5", true},
                                                                              {"*", true},
                                                                              {"gzip; q=0", false},
                                                                              {"gzip;q=0.000, *", false},
                                                                              {"br, identity", false},
                                                                              {"", false}}) {
    EXPECT_EQ(client.get("/", "Accept-Encoding: " + header + "\r\n").answer().body, gzip ? "/ gzip" : "/ plain")
        << header;
  }
}

TEST(HttpServer, RefusesWhatItDoesNotServe) {
  const Served served;
  const std::string big(20'000, 'a');
  struct Case {
    std::string request;
    int status;
    HttpRejection why;
  };
  for (const Case& c : std::vector<Case>{
           {"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc", 405, HttpRejection::kMethod},
           {"DELETE / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", 405, HttpRejection::kMethod},
           {"GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc", 413, HttpRejection::kTooLarge},
           {"GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999\r\n\r\n", 413, HttpRejection::kTooLarge},
           {"GET / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n", 413, HttpRejection::kTooLarge},
           {"GET / HTTP/1.1\r\nHost: t\r\nA: " + big + "\r\n\r\n", 431, HttpRejection::kTooLarge},
           {"GET /" + big + " HTTP/1.1\r\nHost: t\r\n\r\n", 431, HttpRejection::kTooLarge},
           {"GET / HTTP/1.1\r\n\r\n", 400, HttpRejection::kBadRequest},
           {"GET / HTTP/1.1\r\nHost: t\r\nHost: u\r\n\r\n", 400, HttpRejection::kBadRequest},
           {"GET nothing HTTP/1.1\r\nHost: t\r\n\r\n", 400, HttpRejection::kBadRequest},
           {"\x16\x03\x01\x02\x00 hello\r\n\r\n", 400, HttpRejection::kBadRequest}}) {
    const std::uint64_t before = served.rejected(c.why);
    HttpClient client = served.client();
    EXPECT_EQ(client.send(c.request).answer().status, c.status) << c.request.substr(0, 60);
    EXPECT_EQ(served.rejected(c.why), before + 1);
    EXPECT_EQ(client.rest(), "");  // and the connection ends
  }
  EXPECT_EQ(served.client().get("http://host/metrics").answer().body, "/metrics plain");  // as proxies ask
}

TEST(HttpServer, MethodsAreNamedWithTheRefusal) {
  const Served served;
  HttpClient client = served.client();
  const Answer refused = client.send("OPTIONS /metrics HTTP/1.1\r\nHost: t\r\n\r\n").answer();
  EXPECT_EQ(HttpClient::field(refused.head, "Allow"), "GET, HEAD");
  EXPECT_EQ(client.get("/").answer().status, 200);  // nothing of it is left to read: the connection goes on
}

TEST(HttpServer, CutsOffARequestThatDoesNotEnd) {
  HttpLimits limits = patient();
  limits.head = kShort;
  const Served served(limits);
  for (const char* beginning : {"", "G", "GET / HTTP/1.1\r\nHost: t\r\nX: "}) {
    const std::uint64_t before = served.rejected(HttpRejection::kSlowRequest);
    EXPECT_EQ(served.client().send(beginning).rest(), "");
    EXPECT_TRUE(served.comes_to_reject(HttpRejection::kSlowRequest, before + 1)) << beginning;
  }
}

TEST(HttpServer, TheDeadlineIsForAllOfTheHeadAndNotForEachByte) {
  HttpLimits limits = patient();
  limits.head = milliseconds(200);
  const Served served(limits);
  HttpClient client = served.client();
  client.send("GET / HTTP/1.1\r\nHost: t\r\n");
  // Goes on sending until it is cut off: it would for ever, if each byte bought time.
  std::size_t sent = 0;
  pollfd waiting{client.socket(), POLLIN, 0};
  while (::poll(&waiting, 1, 10) == 0 && ++sent < 3'000) client.send("X: y\r\n");
  EXPECT_LT(sent, 3'000U);
  EXPECT_EQ(client.rest(), "");
  EXPECT_TRUE(served.comes_to_reject(HttpRejection::kSlowRequest, 1));
}

TEST(HttpServer, AConnectionMayBeIdleForLongerThanARequestMayTake) {
  HttpLimits limits = patient();
  limits.head = limits.idle = kShort;
  const Served served(limits);
  HttpClient client = served.client();
  EXPECT_EQ(client.get("/").answer().status, 200);
  EXPECT_EQ(client.rest(), "");  // it ends, and nobody did anything wrong
  EXPECT_EQ(served.rejected(HttpRejection::kSlowRequest), 0U);
}

TEST(HttpServer, CutsOffWhoDoesNotReadItsAnswer) {
  constexpr std::size_t kBytes = 64 << 20;
  HttpLimits limits = patient();
  limits.response = kShort;
  std::promise<unsigned> given_up;
  const auto body = std::make_shared<const std::string>(kBytes, 'x');
  const HttpHandler handler = [&](const HttpRequest& request, const HttpRespond& respond) {
    if (request.path == "/small") return respond(HttpResponse::text(200, "ok"));
    HttpResponse response;
    response.body = {body};
    respond(response);
  };
  const Served served(limits, handler, {}, [&](const std::string& path, unsigned status) {
    if (path == "/big") given_up.set_value(status);
  });
  HttpClient slow = served.client();
  slow.get("/big");
  auto done = given_up.get_future();
  EXPECT_EQ(served.client().get("/small").answer().body, "ok");  // meanwhile others are served
  ASSERT_EQ(done.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(served.rejected(HttpRejection::kSlowReader), 1U);
  EXPECT_LT(slow.rest().size(), kBytes);
}

TEST(HttpServer, ManyConnectionsPushOutThoseThatAskNothing) {
  HttpLimits limits = patient();
  limits.connections = 8;
  const Served served(limits);
  std::vector<HttpClient> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(served.client());
  for (HttpClient& client : clients) client.get("/");
  std::size_t answered = 0;
  for (HttpClient& client : clients) answered += client.answer().status == 200 ? 1 : 0;
  EXPECT_GE(answered, limits.connections);
  EXPECT_EQ(served.rejected(HttpRejection::kConnections), 200 - limits.connections);
  EXPECT_EQ(served.server->counts().connections, limits.connections);
  EXPECT_EQ(served.client().get("/").answer().status, 200);
}

TEST(HttpServer, WhoIsBeingAnsweredIsNotPushedOut) {
  HttpLimits limits = patient();
  limits.connections = 1;
  std::promise<HttpRespond> asked;
  const Served served(limits, [&](const HttpRequest&, HttpRespond respond) { asked.set_value(std::move(respond)); });
  HttpClient first = served.client();
  first.get("/");
  const HttpRespond respond = asked.get_future().get();
  HttpClient second = served.client();
  EXPECT_EQ(second.get("/").answer().status, 0);  // all are busy: the newcomer has to go
  respond(HttpResponse::text(200, "at last"));
  EXPECT_EQ(first.answer().body, "at last");
}

/// Answers that nobody takes hold their places for seconds: they are no reason to turn somebody away.
TEST(HttpServer, WhoDoesNotTakeItsAnswerIsPushedOut) {
  constexpr std::size_t kBytes = 64 << 20;  // more than any socket's buffers
  HttpLimits limits = patient();
  limits.connections = 4;
  const auto large = std::make_shared<const std::string>(kBytes, 'x');
  const Served served(limits, [&](const HttpRequest& request, const HttpRespond& respond) {
    HttpResponse response = HttpResponse::text(200, "ok");
    if (request.path == "/large") response.body = {large};
    respond(std::move(response));
  });
  std::vector<HttpClient> slow;
  for (std::size_t i = 0; i < limits.connections; ++i) {
    slow.push_back(served.client());
    char first = 0;
    ASSERT_EQ(::recv(slow.back().get("/large").socket(), &first, 1, MSG_PEEK), 1);
  }
  EXPECT_EQ(served.client().get("/").answer().body, "ok");
}

TEST(HttpServer, StopFinishesWhatHasBegun) {
  std::promise<HttpRespond> asked;
  Served served(patient(), [&](const HttpRequest&, HttpRespond respond) { asked.set_value(std::move(respond)); });
  HttpClient waiting = served.client();
  HttpClient idle = served.client();
  waiting.get("/");
  const HttpRespond respond = asked.get_future().get();
  std::thread stopping([&] { served.server->stop(kNever); });
  EXPECT_EQ(idle.rest(), "");  // so it has begun to stop
  respond(HttpResponse::text(200, "the last"));
  const Answer answer = waiting.answer();
  EXPECT_EQ(answer.body, "the last");
  EXPECT_EQ(HttpClient::field(answer.head, "Connection"), "close");
  EXPECT_EQ(waiting.rest(), "");
  stopping.join();
  EXPECT_FALSE(served.client().connected());
}

TEST(HttpServer, StopDoesNotWaitForEver) {
  std::promise<HttpRespond> asked;
  Served served(patient(), [&](const HttpRequest&, HttpRespond respond) { asked.set_value(std::move(respond)); });
  HttpClient waiting = served.client();
  waiting.get("/");
  const HttpRespond respond = asked.get_future().get();
  served.server->stop(kShort);
  EXPECT_EQ(waiting.rest(), "");
  respond(HttpResponse::text(200, "too late"));  // and nobody minds
}

TEST(HttpServer, HeadersOfThePolicyAreInEveryAnswer) {
  HttpPolicy policy;
  policy.headers = {{"X-Frame-Options", "deny"}};
  const Served served(patient(), echo, policy);
  HttpClient client = served.client();
  EXPECT_EQ(HttpClient::field(client.get("/").answer().head, "X-Frame-Options"), "deny");
  EXPECT_EQ(HttpClient::field(client.send("POST / HTTP/1.1\r\nHost: t\r\n\r\n").answer().head, "X-Frame-Options"),
            "deny");
}

TEST(HttpServer, ARateLimitRefusesWhatIsMore) {
  HttpPolicy policy;
  policy.rate_limit = {seconds(3'600), 2};
  const Served served(patient(), echo, policy);
  HttpClient client = served.client();
  EXPECT_EQ(client.get("/").answer().status, 200);
  EXPECT_EQ(client.get("/").answer().status, 200);
  EXPECT_EQ(client.get("/").answer().status, 429);
  EXPECT_EQ(served.rejected(HttpRejection::kRateLimit), 1U);
}

TEST(HttpServer, PasswordsAreAskedForFromTheNextRequestOn) {
  // "secret", cost 4.
  HttpPolicy policy;
  policy.users["prometheus"] = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";
  const Served served;
  HttpClient client = served.client();
  EXPECT_EQ(client.get("/").answer().status, 200);
  served.server->set_policy(policy);
  Answer answer = client.get("/").answer();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(HttpClient::field(answer.head, "WWW-Authenticate"), "Basic realm=\"rocetop\"");
  // "prometheus:wrong", "nobody:secret", "prometheus:secret".
  EXPECT_EQ(client.get("/", "Authorization: Basic cHJvbWV0aGV1czp3cm9uZw==\r\n").answer().status, 401);
  EXPECT_EQ(client.get("/", "Authorization: Basic bm9ib2R5OnNlY3JldA==\r\n").answer().status, 401);
  EXPECT_EQ(client.get("/", "Authorization: Basic cHJvbWV0aGV1czpzZWNyZXQ=\r\n").answer().status, 200);
  EXPECT_EQ(served.rejected(HttpRejection::kUnauthorized), 3U);
}

TEST(HttpServer, ServesIpv6) {
  if (!listen_on({"::1", 0})) GTEST_SKIP() << "this machine has no IPv6";
  const Served served(patient(), echo, {}, {}, "::1");
  EXPECT_TRUE(served.address.starts_with("[::1]:")) << served.address;
  EXPECT_EQ(served.client().get("/").answer().status, 200);
}

TEST(HttpServer, ServesBothProtocolsWhereNoHostIsGiven) {
  const Served served(patient(), echo, {}, {}, "");
  const std::string port = served.address.substr(served.address.rfind(':'));
  EXPECT_EQ(HttpClient("127.0.0.1" + port).get("/").answer().status, 200);
  if (served.address.starts_with("[::]")) {
    EXPECT_EQ(HttpClient("[::1]" + port).get("/").answer().status, 200);
  }
}

TEST(ListenAddress, IsAHostAndAPort) {
  EXPECT_EQ(parse_listen_address(":14791")->host, "");
  EXPECT_EQ(parse_listen_address(":14791")->port, 14'791);
  EXPECT_EQ(parse_listen_address("127.0.0.1:0")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen_address("[::1]:80")->host, "::1");
  for (const char* wrong :
       {"", "14791", "host", "::1:80", "[::1]", "[]:80", "[::1:80", ":65536", ":-1", ":8o", "a:b:1"}) {
    EXPECT_FALSE(parse_listen_address(wrong)) << wrong;
  }
}

TEST(ListenAddress, APortThatIsTakenIsNamed) {
  const auto taken = listen_on({"127.0.0.1", 0});
  ASSERT_TRUE(taken);
  const std::string address = taken.value().front().address();
  const auto again = listen_on(parse_listen_address(address).value());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "cannot listen on " + address + ": Address already in use");
  EXPECT_NE(again.error().hint.find("--web.listen-address"), std::string::npos);
}

TEST(ListenAddress, NoAddressOfThisMachineIsNone) {
  EXPECT_FALSE(listen_on({"192.0.2.1", 0}));
  EXPECT_FALSE(listen_on({"no such host", 0}));
}

}  // namespace
}  // namespace rocetop::cli
