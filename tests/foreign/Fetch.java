import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.IconsApi;

/** Gets an icon with the client that openapi-generator has generated for Java. */
public class Fetch {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("SERVICE_URL"));
        client.setRequestInterceptor(request -> request.header("x-service-api-key", System.getenv("SERVICE_KEY")));
        IconsApi icons = new IconsApi(client);
        long id = Long.parseLong(System.getenv("SERVICE_ICON"));
        if (icons.getIcon(id, null).getData().getId() != id) {
            throw new AssertionError("another icon");
        }
        try {
            icons.getIcon(1L, null);
        } catch (ApiException error) {
            if (error.getCode() == 404) {
                return;
            }
        }
        throw new AssertionError("an icon that does not exist was found");
    }
}
